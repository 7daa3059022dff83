// What somebody tries who wants in, wants a call approved, or wants the stop released: each fell or held, and holds now.
import { openFileDocs } from "@margay/core/internal";
import { existsSync, mkdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { callsTool, fakeClock, says } from "@margay/core/testing";
import { describe, expect, onTestFinished, test } from "vitest";
import type { App } from "../../src/app.ts";
import { openPairing } from "../../src/host/pairing.ts";
import { margay } from "../cli/harness.ts";
import { startGateway, type TestGateway } from "../gateway/support.ts";

const config = { channels: { webhook: { enabled: false, allowFrom: ["ann", "josé".normalize("NFC")] } } };
let written = 0;

/** Writes as somebody of the chat platform. @returns what they were answered, or `accepted`. */
async function write(app: App, sender: string, text: string, chat = sender): Promise<string> {
  const accepted = await app.agent.bus.accept({
    key: `${process.pid}-${++written}`,
    origin: { channel: "webhook", chat },
    from: { id: sender, name: "ann", kind: "person" },
    parts: [{ type: "text", text }],
    chat: "private",
  });
  if (accepted.status !== "accepted") return accepted.status;
  if (!text.startsWith("/")) return "accepted";
  const session = await app.agent.sessions.find(accepted.sessionKey);
  let last = "";
  for await (const { records } of session!.history())
    for (const record of records)
      if (record.type === "reply.queued" && record.kind === "command" && record.parts[0]?.type === "text")
        last = record.parts[0].text;
  return last;
}

/** A call of the session that waits for a person. */
async function asked(
  gateway: TestGateway,
  session = "web:one",
): Promise<{ readonly call: string; readonly hash: string }> {
  gateway.model.replies(callsTool("exec", { command: "echo ran >> ran.txt" }));
  void gateway.app.agent.send(session, "go", { origin: { channel: "web", chat: "one" } }).finished.catch(() => {});
  await expect.poll(async () => (await gateway.app.agent.approvals()).length).toBe(1);
  const [approval] = await gateway.app.agent.approvals();
  return { call: approval!.call, hash: approval!.hash };
}

describe("ids", () => {
  test.each([
    ["another alphabet", "аnn"],
    ["full width", "ａｎｎ"],
    ["a space that is not seen", "ann\u200b"],
    ["written backwards", "\u202ennа"],
    ["capitals", "ANN"],
    ["decomposed", "josé".normalize("NFD")],
    ["a line more", "ann\n"],
    ["a null byte", "ann\0"],
    ["a name of the prototype", "__proto__"],
    ["a wildcard", "*"],
  ])("R260 CH12 an id that only looks like an admitted one, by %s, is a stranger's", async (_how, id) => {
    const { app, model } = await startGateway({ onTestFinished }, { config });
    expect(await write(app, id, "hello", "ann")).toBe("refused");
    expect(model.requests).toEqual([]);
    expect(app.inside.pairing.isOperator("webhook", id)).toBe(false);
  });

  test("R188 a guest who calls themselves as the operator does, or writes as a token would, is a guest", async (t) => {
    const gateway = await startGateway(t, {
      config: {
        channels: { webhook: { enabled: false, allowFrom: ["user", "api:owner", "emergency-stop", "policy"] } },
      },
    });
    const { call } = await asked(gateway);
    for (const id of ["user", "api:owner", "emergency-stop", "policy"])
      for (const command of [`/allow ${call}`, "/stop all", "/resume", "/restart", "/trust", "/memory", "/cron"])
        expect([id, command, await write(gateway.app, id, command)]).toEqual([
          id,
          command,
          "Only an operator can do that.",
        ]);
    expect(await gateway.app.agent.approvals()).toHaveLength(1);
    expect(gateway.app.inside.stopFlag.on).toBe(false);
  });
});

describe("codes", () => {
  test("R260 a code belongs to who got it: whoever else sends it, or types it into a chat, is not admitted by it", async (t) => {
    const { app } = await startGateway(t, { config });
    await write(app, "mallory", "hello");
    const [{ code } = { code: "" }] = app.inside.pairing.offers();
    for (const text of [code, `/pair ${code}`, `margay channels pair ${code}`, `/allow ${code}`])
      expect(await write(app, "eve", text)).toBe("refused");
    expect(app.inside.pairing.list()).toEqual([]);
    expect(app.inside.pairing.offers().map(({ sender }) => sender)).toContain("mallory");
  });

  test("R260 pairing/MAX_OFFERS made-up senders do not fill the store, and five wrong guesses void the codes of all of them", async () => {
    const clock = fakeClock();
    const { home } = margay();
    const pairing = openPairing(openFileDocs(home), clock);
    for (let n = 0; n < 300; n++) await pairing.offer(`webhook-${Math.floor(n / 3)}`, `made-up-${n}`);
    expect(pairing.offers()).toHaveLength(100);
    for (let n = 0; n < 5; n++) await pairing.accept("GUESS234");
    expect(pairing.offers()).toEqual([]);
  });

  test("CH88 R260 three codes of a channel in a minute, whatever senders are made up; other channels have theirs, also after a restart", async () => {
    let now = fakeClock().now();
    const { home } = margay();
    const open = () => openPairing(openFileDocs(home), { now: () => now });
    const codes = async (channel: string, from: number): Promise<number> => {
      const made = Array.from({ length: 10 }, (_, n) => open().offer(channel, `made-up-${from + n}`));
      return (await Promise.all(made)).filter(Boolean).length;
    };
    expect([await codes("webhook", 0), await codes("telegram", 0), await codes("webhook", 10)]).toEqual([3, 3, 0]);
    now += 59_999;
    expect(await codes("webhook", 20)).toBe(0);
    now += 1;
    expect(await codes("webhook", 30)).toBe(3);
  });

  test("R260 pairing/MAX_NAME_CHARS, pairing/MAX_TEXT_CHARS 100 characters of a stranger's name and 200 of what they wrote are kept", async () => {
    const pairing = openPairing(openFileDocs(margay().home), fakeClock());
    await pairing.offer("webhook", "one", { name: "n".repeat(101), firstText: "t".repeat(201) });
    expect(pairing.offers()).toMatchObject([{ name: "n".repeat(100), firstText: "t".repeat(200) }]);
  });

  test("R260 a clock that is set back makes no old code valid again", async () => {
    const clock = fakeClock();
    const { home } = margay();
    let now = clock.now();
    const pairing = openPairing(openFileDocs(home), { now: () => now });
    const code = (await pairing.offer("webhook", "42")) ?? "";
    now -= 3_600_000;
    expect(pairing.offers()).toEqual([]);
    expect(await pairing.accept(code)).toBeUndefined();
  });
});

describe("approvals", () => {
  test("SE1 a clock that is set back keeps no question open", async (t) => {
    const clock = fakeClock();
    let back = 0;
    const gateway = await startGateway(t, { config, clock: { ...clock, now: () => clock.now() - back } });
    const { call, hash } = await asked(gateway);
    back = 3_600_000;
    const answer = { type: "allow" as const, call: call as never, hash };
    expect((await gateway.app.agent.control("web:one", answer, { id: "user", kind: "person" })).done).toBe(false);
    back = 2_000; // as clocks are corrected
    expect((await gateway.app.agent.control("web:one", answer, { id: "user", kind: "person" })).done).toBe(true);
  });

  test("SE1 a button that was kept over /new, over a fork, or is pressed twice, runs nothing", async (t) => {
    const gateway = await startGateway(t, { config });
    const { agent } = gateway.app;
    const by = { id: "user", kind: "person" } as const;
    const first = await asked(gateway);
    const button = { type: "allow" as const, call: first.call as never, hash: first.hash };
    // A fork carries the question; the answer to the original is none to it.
    await agent.sessions.fork("web:one", "web:fork");
    expect((await agent.control("web:fork", button, by)).done).toBe(false);
    await agent.control("web:fork", { type: "stop", withdraw: true }, by);
    await agent.bus.accept({
      key: "new",
      origin: { channel: "web", chat: "one" },
      from: by,
      parts: [{ type: "text", text: "/new" }],
    });
    expect((await agent.control("web:one", button, by)).done).toBe(false);
    await agent.idle(); // what was said goes to memory, with a request of its own
    const second = await asked(gateway);
    expect(second.call).not.toBe(first.call);
    expect((await agent.control("web:one", button, by)).done).toBe(false);
    gateway.model.replies(says("done"));
    const fresh = { type: "allow" as const, call: second.call as never, hash: second.hash };
    const both = await Promise.all([agent.control("web:one", fresh, by), agent.control("web:one", fresh, by)]);
    expect(both.filter(({ done }) => done)).toHaveLength(1);
    await expect.poll(() => existsSync(join(gateway.workspace, "ran.txt"))).toBe(true);
    await agent.idle();
    expect(readFileSync(join(gateway.workspace, "ran.txt"), "utf8")).toBe("ran\n");
  });
});

describe("what guests find", () => {
  test("R188 recall in a guest's chat finds what was said there, not what others said", async (t) => {
    const gateway = await startGateway(t, { config });
    const { agent } = gateway.app;
    gateway.model.replies(says("noted"));
    await agent.send("web:one", "the code of the safe is 7351 marmalade", { origin: { channel: "web", chat: "one" } })
      .finished;
    gateway.model.replies(callsTool("recall", { query: "marmalade" }), says("hm"));
    await write(gateway.app, "ann", "marmalade for breakfast: what do you know about it?");
    await agent.idle();
    const guest = JSON.stringify(gateway.model.requests.at(-1)?.body);
    expect(guest).not.toContain("7351");
    gateway.model.replies(callsTool("recall", { query: "marmalade" }), says("yes"));
    await agent.send("web:two", "what about marmalade", { origin: { channel: "web", chat: "two" } }).finished;
    expect(JSON.stringify(gateway.model.requests.at(-1)?.body)).toContain("7351");
  });
});

describe("the stop", () => {
  test("R183 a flag that cannot be taken away holds, and the release says so instead of pretending", async (t) => {
    const gateway = await startGateway(t, { config });
    await asked(gateway);
    const { stopFlag } = gateway.app.inside;
    // As root nothing is unwritable; a directory that is not empty takes the place of no file.
    mkdirSync(join(gateway.home, "paused", "in-the-way"), { recursive: true });
    expect(stopFlag.on).toBe(true);
    await expect.poll(async () => (await gateway.app.agent.approvals()).length).toBe(0);
    await expect(gateway.app.agent.release({ id: "user", kind: "person" })).rejects.toThrow(/EISDIR|ENOTEMPTY|EEXIST/);
    expect(stopFlag.on).toBe(true);
  });
});
