// Whose account is whose: the owner's own on a chat platform, guests, strangers; what each may, and how margay says why.
import { callsTool, says } from "@margay/core/testing";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { margay } from "../cli/harness.ts";
import { running } from "./running.ts";
import { postSigned } from "./support.ts";

const said = (sender: string, id: string, text: string): object => ({ id, chat: sender, sender, text });

test("PE4 L7 who writes from an account that channels.*.operators names is the owner: memory, reminders, and the word counts", async () => {
  const { app, model, receiver, port } = await running(
    { operators: ["ada"], allowFrom: ["ann"] },
    { files: { "USER.md": "CANARY-USER Ada" } },
  );
  model.replies(
    callsTool("cron", { action: "add", message: "water the plants", every_seconds: 3600 }),
    says("I will remind you."),
  );
  await postSigned(port, said("ada", "m1", "remind me every hour to water the plants"));
  await receiver.took(1);
  expect(JSON.stringify(model.requests[0]?.body)).toContain("CANARY-USER");
  expect(await app.schedule.cron?.list()).toMatchObject([{ message: "water the plants" }]); // unasked
  model.replies(says("hello Ann"));
  await postSigned(port, said("ann", "m2", "hi"));
  await receiver.took(2);
  expect(JSON.stringify(model.requests.at(-1)?.body)).not.toContain("CANARY-USER");
});

test("PE6 an account that is taken out of the list is a guest's at its next message", async () => {
  const { app, model, receiver, port } = await running(
    { operators: ["ada"], allowFrom: ["ada"] },
    { files: { "USER.md": "CANARY-USER Ada" } },
  );
  model.replies(says("one"), says("two"));
  await postSigned(port, said("ada", "m1", "hi"));
  await receiver.took(1);
  const { config } = app.loaded;
  const webhook = config.channelsById["webhook"];
  if (webhook === undefined) throw new Error("no webhook");
  app.configure({ ...app.loaded, config: { ...config, channelsById: { webhook: { ...webhook, operators: [] } } } });
  await postSigned(port, said("ada", "m2", "and now?"));
  await receiver.took(3); // it is told that somebody else reads here from now on
  const last = JSON.stringify(model.requests.at(-1)?.body);
  expect(last).toContain("and now?");
  expect(last).not.toContain("CANARY-USER");
});

test.for([
  ["ada", "webhook:ada is the owner, by `channels.webhook.operators`"],
  ["ann", "webhook:ann is a guest, by `channels.webhook.allowFrom`"],
] as const)("PE11 /whoami of %s says who that is and by which setting, without a model", async ([sender, answer]) => {
  const { model, receiver, port } = await running({ operators: ["ada"], allowFrom: ["ann"] });
  await postSigned(port, said(sender, "m1", "/whoami"));
  await receiver.took(1);
  expect(JSON.stringify(receiver.received)).toContain(answer);
  expect(model.requests).toHaveLength(0);
});

test("PE9 a guest's /help lists what a guest can do, and another command is refused in one sentence", async () => {
  const { model, receiver, port } = await running({ operators: ["ada"], allowFrom: ["ann"] });
  const answers = async (sender: string, text: string): Promise<string> => {
    const before = receiver.received.length;
    await postSigned(port, said(sender, `${sender} ${text}`, text));
    await receiver.took(before + 1);
    return String(receiver.received[before]?.body["text"]);
  };
  const names = (help: string): readonly string[] =>
    [...help.matchAll(/^\/([a-z]+(?: all)?)/gm)].map(([, name = ""]) => name);
  expect(names(await answers("ann", "/help"))).toEqual(["help", "new", "stop", "whoami"]);
  expect(names(await answers("ada", "/help"))).toContain("stop all");
  for (const command of ["/model openai/gpt-5", "/persona gentle", "/memory", "/stop all", "/usage"])
    expect(await answers("ann", command)).toBe("Only an operator can do that.");
  expect(model.requests).toHaveLength(0);
});

test("PE4 PE11 margay people links an account to the owner, says who somebody is and why, and takes it back", async () => {
  const place = margay();
  place.configure({ channels: { webhook: { enabled: true, secret: "s".repeat(32), allowFrom: ["ann", "42"] } } });
  const run = async (...args: readonly string[]): Promise<string> => {
    const { code, out, err } = await place.run(["people", ...args]);
    expect(err).toBe("");
    expect(code).toBe(0);
    return out;
  };
  expect(await run("explain", "webhook:42")).toContain("webhook:42 is a guest, by `channels.webhook.allowFrom`");
  expect(await run("explain", "webhook:7")).toContain("webhook:7 is a stranger");
  expect(await run("link", "owner", "webhook:42")).toContain("webhook:42 is yours now");
  expect(await run("link", "owner", "webhook:42")).toContain("was yours already");
  expect(JSON.parse(await run("list", "--json"))).toEqual([
    { channel: "webhook", sender: "42", role: "operator", because: "operators", person: "owner" },
    { channel: "webhook", sender: "ann", role: "guest", because: "listed" },
  ]);
  expect(JSON.parse(await run("explain", "webhook:42", "--json"))).toMatchObject({ role: "operator" });
  expect(await run("unlink", "owner", "webhook:42")).toContain("not yours any more");
  expect(await run("explain", "webhook:42")).toContain("is a guest");
});

test.for([
  ["@ada", 2, "CHANNEL:ID"],
  ["nowhere:42", 2, "CHANNEL:ID"],
  ["42", 2, "CHANNEL:ID"],
  ["webhook:@ada", 78, "not the id of one person"],
  ["webhook:*", 78, "not the id of one person"],
] as const)("PE1 %s is no identity: refused with what to write", async ([identity, exit, text]) => {
  const place = margay();
  place.configure({});
  const before = readFileSync(join(place.home, "config.json"), "utf8");
  const { code, err } = await place.run(["people", "link", "owner", identity]);
  expect(code).toBe(exit);
  expect(err).toContain(text);
  expect(readFileSync(join(place.home, "config.json"), "utf8")).toBe(before);
});

test("PE1 a name or * among channels.*.operators is a fault that says what to write; a number is quoted", async () => {
  const matrix = await margay().run(["config", "set", "channels.webhook.operators", '["@ada:example.org"]']);
  expect(matrix.code).toBe(0); // an id of Matrix, which cannot change hands
  for (const [id, text] of [
    ['["@ada"]', "not the id of one person"],
    ['["*"]', "not the id of one person"],
    ["[42]", '"42"'],
  ] as const) {
    const { code, err } = await margay().run(["config", "set", "channels.webhook.operators", id]);
    expect(code).not.toBe(0);
    expect(err).toContain(text);
  }
});
