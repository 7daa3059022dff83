// A group as its owner sees it over the API: its conversation with what was heard as a note, and the days in a list of their own.
import { openFileDocs } from "@margay/core/internal";
import { mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { says } from "@margay/core/testing";
import { expect, test } from "vitest";
import { openSeenGroups } from "../../src/host/groups.ts";
import { postSigned, SECRET } from "../channels/support.ts";
import { freePort } from "../free-port.ts";
import { operations } from "./operations.ts";
import { startGateway, type Owner, type TestGateway } from "./support.ts";

test("PE50 what a group said to each other stands in no list of conversations, and where it was given to the model", async (t) => {
  const webhook = { enabled: true, secret: "webhook-secret", allowFrom: ["eva"], chats: { trip: { groups: "named" } } };
  const gateway = await startGateway(t, { config: { channels: { webhook } } });
  const operate = operations(gateway);
  gateway.model.replies(says("In the box."));
  for (const [key, text, addressed] of [
    ["1", "the keys are in the box", undefined],
    ["2", "where are the keys?", "named"],
  ] as const)
    await gateway.app.agent.bus.accept({
      key,
      origin: { channel: "webhook", chat: "trip" },
      from: { id: "eva", kind: "person" },
      parts: [{ type: "text", text }],
      chat: "group",
      ...(addressed !== undefined && { addressed }),
    });
  await gateway.app.agent.idle();
  const sessions = async (query: Readonly<Record<string, string>>): Promise<readonly { id: string; key: string }[]> =>
    (await operate("listSessions", { query })).body.items;
  const items = async ({ id }: { readonly id: string }): Promise<readonly object[]> =>
    (await operate("listMessages", { params: { id } })).body.items;
  const [conversation, ...others] = await sessions({});
  const [day, ...otherDays] = await sessions({ source: "heard" });
  expect([others, otherDays]).toEqual([[], []]);
  if (conversation === undefined || day === undefined) throw new Error("one of them is in no list");
  expect([conversation.key, day.key]).toEqual(["webhook:trip", expect.stringMatching(/^heard:webhook:trip:/)]);
  const [note, asked] = await items(conversation);
  expect(note).toMatchObject({
    kind: "notice",
    text: "Said in this group before, and not to you:\n[guest eva] the keys are in the box",
  });
  expect(asked).toMatchObject({ kind: "user", parts: [{ text: "[guest eva] where are the keys?" }] });
  expect(await items(day)).toMatchObject([
    { kind: "user", from: { name: "guest eva" }, parts: [{ text: "the keys are in the box" }], state: "placed" },
  ]);
});

/** A channel that takes messages, with a group of which something was said in the settings and one of which nothing was. */
async function withGroups(t: Owner): Promise<{
  readonly gateway: TestGateway;
  readonly say: (chat: string, title?: string) => Promise<number>;
}> {
  const port = await freePort();
  const webhook = {
    enabled: true,
    secret: SECRET,
    chats: { trip: { groups: "all", allowFrom: ["bob"] } },
    options: { port },
  };
  const gateway = await startGateway(t, { config: { channels: { webhook } } as never });
  await expect.poll(() => gateway.logs.some(({ event }) => event === "channel.listening")).toBe(true);
  let n = 0;
  const say = async (chat: string, title?: string): Promise<number> => {
    const line = { id: String((n += 1)), chat, sender: "eve", text: "the code is 1234", group: true };
    return (await postSigned(port, { ...line, ...(title !== undefined && { title }) })).status;
  };
  return { gateway, say };
}

test("CH89 a group that margay does not read is known by its name, and nothing of what is said there is kept; one change reads it, without a new connection", async (t) => {
  const { gateway, say } = await withGroups(t);
  const operate = operations(gateway);
  const params = { id: "webhook" };
  await say("quiet", "Night \u202eowls");
  await say("quiet");
  const listed = async () => (await operate("listGroups", { params })).body;
  const before = await listed();
  expect(before).toMatchObject({
    usual: "off",
    groups: [
      { chat: "trip", manner: "all", own: "all", configured: true, joined: false, allow: ["bob"] },
      { chat: "quiet", title: "Night \\u{202e}owls", manner: "off", configured: false, joined: false, allow: [] },
    ],
  });
  const kept = readFileSync(join(gateway.home, "channels", "webhook", "groups.json"), "utf8");
  expect([kept.includes("quiet"), kept.includes("1234"), kept.includes("eve")]).toEqual([true, false, false]);

  const listening = (): number => gateway.logs.filter(({ event }) => event === "channel.listening").length;
  const connections = listening();
  const patch = { channels: { webhook: { chats: { quiet: { groups: "listen" } } } } };
  const etag = { "if-match": `"${before.hash}"` };
  expect((await operate("patchSettings", { body: patch, headers: etag })).status).toBe(200);
  expect((await operate("patchSettings", { body: patch, headers: etag })).status).toBe(412); // somebody else was faster
  expect((await listed()).groups.map(({ chat, manner }: never) => [chat, manner].join(" "))).toEqual([
    "trip all",
    "quiet listen",
  ]);
  await say("quiet");
  expect((await operate("listSessions", { query: { source: "heard" } })).body.items).toHaveLength(1);
  expect(listening()).toBe(connections);
  expect((await operate("listGroups", { params: { id: "none" } })).body.code).toBe("channel.not-found");
});

test("groups/MAX_GROUPS groups/MAX_TITLE the 100 groups that spoke last are known, by 100 letters, and a line more writes nothing", async (t) => {
  const home = mkdtempSync(join(tmpdir(), "margay-seen-"));
  t.onTestFinished(() => rmSync(home, { recursive: true }));
  const seen = openSeenGroups({ docs: openFileDocs(home) });
  for (let n = 0; n <= 100; n += 1)
    await seen.see({ channel: "telegram", chat: String(n) }, n * 3_600_000, "x".repeat(101));
  const known = seen.of("telegram");
  expect([known.length, known[0]?.chat, known.at(-1)?.chat, known[0]?.title?.length]).toEqual([100, "100", "1", 100]);
  const file = join(home, "channels", "telegram", "groups.json");
  const before = statSync(file).ino;
  await seen.see({ channel: "telegram", chat: "100" }, 100 * 3_600_000 + 3_599_999);
  expect(statSync(file).ino).toBe(before);
  await seen.see({ channel: "telegram", chat: "50" }, 102 * 3_600_000);
  expect(seen.of("telegram")[0]).toEqual({ chat: "50", title: "x".repeat(100), at: 102 * 3_600_000 });
  writeFileSync(file, "{");
  expect([seen.of("telegram"), seen.of("none")]).toEqual([[], []]);
});

test("PE50 what margay takes a sender of a group for is said in words, by who asks and in their language", async (t) => {
  const { gateway } = await withGroups(t);
  const operate = operations(gateway);
  const explain = async (query: Readonly<Record<string, string>>, language = "en") =>
    (
      await operate("explainPerson", {
        query: { channel: "webhook", ...query },
        headers: { "accept-language": language },
      })
    ).body;
  expect(await explain({ sender: "bob", group: "trip" })).toMatchObject({ role: "stranger", gate: "answer" });
  expect(await explain({ sender: "eve", group: "trip", addressed: "true" })).toMatchObject({
    gate: "hear",
    texts: [expect.stringContaining("is a stranger"), expect.stringContaining("who may speak to margay there")],
  });
  expect((await explain({ sender: "eve", group: "elsewhere" }, "zh-CN")).texts[1]).toContain("/here");
  expect(await explain({ sender: "bob" })).toMatchObject({ role: "stranger", texts: [expect.anything()] });
});
