import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setImmediate } from "node:timers/promises";
import { expect, onTestFinished, test } from "vitest";
import type { InboundMessage } from "@margay/core";
import { openFileDocs } from "@margay/core/internal";
import { createAdmission } from "../../src/features/access/admission.ts";
import { isOwnEntrance } from "../../src/host/operator.ts";
import { openPairing } from "../../src/host/pairing.ts";
import { peopleOf } from "../../src/host/people.ts";

function setUp(allowFrom: readonly string[] = []) {
  const directory = mkdtempSync(join(tmpdir(), "margay-pairing-"));
  onTestFinished(() => rmSync(directory, { recursive: true, force: true }));
  let now = 1_000_000;
  const pairing = openPairing(openFileDocs(directory), { now: () => now });
  const groups = {
    groups: "off",
    approvals: "private",
    chats: {},
    session: "perThread",
    follow: false,
    bots: "heard",
    live: "private",
    typing: "on",
    uncertain: "again",
    quote: "auto",
    reactions: "count",
    burstMs: 0,
    backfillHours: 24,
    media: { maxBytes: 26_214_400 },
  } as const;
  const config = () => ({
    people: {},
    channelsById: { telegram: { enabled: true, allowFrom, operators: [], ...groups } },
  });
  const people = peopleOf({ config, pairing });
  const admit = createAdmission({
    people,
    pairing,
    link: async () => undefined,
    invited: async () => undefined,
    language: () => "en",
    config,
  });
  return { directory, pairing, admit, advance: (ms: number) => (now += ms) };
}

const message = (id: string, rest: Partial<InboundMessage> = {}): InboundMessage => ({
  key: "1",
  origin: { channel: "telegram", chat: id },
  from: { id, kind: "person" },
  parts: [{ type: "text", text: "hi" }],
  chat: "private",
  ...rest,
});

test("R260 an empty allow list admits nobody, and only a private chat is answered, with a code", async () => {
  const { admit } = setUp();
  const stranger = await admit(message("42"));
  expect(stranger.ok).toBe(false);
  expect(stranger.ok ? "" : stranger.answer).toMatch(/margay channels pair [A-Z2-9]{8} /);
  expect(await admit(message("43", { chat: "group" }))).toEqual({
    ok: false,
    reason: "telegram sender 43 is not admitted",
  });
});

test("R260 an id is admitted by exact equality", async () => {
  const { admit } = setUp(["123"]);
  expect((await admit(message("123"))).ok).toBe(true);
  for (const id of ["1234", "12", "0123", "123 "]) expect((await admit(message(id))).ok, id).toBe(false);
});

test("R260 who writes at an entrance of this process is the operator, and nobody of a chat app is", async () => {
  const { admit } = setUp();
  const at = async (channel: string): Promise<readonly boolean[]> => [
    isOwnEntrance(channel),
    (await admit(message("42", { origin: { channel, chat: "42" } }))).ok,
  ];
  for (const channel of ["cli", "api", "web", "direct", "cron", "heartbeat", "system"])
    expect(await at(channel), channel).toEqual([true, true]);
  for (const channel of ["telegram", "", "CLI", "webhook", "constructor"])
    expect(await at(channel), channel).toEqual([false, false]);
});

test("R260 a code admits its sender once, for ten minutes, and is offered once in ten minutes", async () => {
  const { admit, pairing, advance } = setUp();
  const first = await pairing.offer("telegram", "42");
  expect(await pairing.offer("telegram", "42")).toBeUndefined();
  expect(await pairing.accept(first ?? "")).toEqual({ channel: "telegram", sender: "42" });
  expect(await pairing.accept(first ?? "")).toBeUndefined();
  expect((await admit(message("42"))).ok).toBe(true);
  expect((await admit(message("42", { origin: { channel: "discord", chat: "42" } }))).ok).toBe(false);
  expect((await admit(message("4"))).ok).toBe(false);
  const late = await pairing.offer("telegram", "44");
  advance(600_001);
  expect(await pairing.accept(late ?? "")).toBeUndefined();
  expect(await pairing.offer("telegram", "44")).toMatch(/^[A-Z2-9]{8}$/);
});

test("R260 after five wrong tries the right code is void too", async () => {
  const { pairing } = setUp();
  const code = (await pairing.offer("telegram", "42")) ?? "";
  for (let i = 0; i < 5; i++) expect(await pairing.accept("WRONGONE")).toBeUndefined();
  expect(await pairing.accept(code)).toBeUndefined();
});

test.each(["{ not json", "[]", "null"])(
  "R260 CH13 the unreadable pairing store %s admits nobody, keeps out no one who is configured, and is left as it is",
  async (text) => {
    const { directory, admit, pairing } = setUp(["7"]);
    mkdirSync(join(directory, "channels"));
    const file = join(directory, "channels", "pairing.json");
    writeFileSync(file, text);
    expect(await admit(message("42"))).toEqual({ ok: false, reason: "telegram sender 42 is not admitted" });
    expect((await admit(message("7"))).ok).toBe(true);
    expect([pairing.list(), await pairing.accept("ABCDEFGH"), await pairing.remove("telegram", "42")]).toEqual([
      [],
      undefined,
      false,
    ]);
    expect(readFileSync(file, "utf8")).toBe(text);
  },
);

test("R260 CH13 an offer that is not whole is nobody's, and leaves the others as they are", async () => {
  const { directory, pairing } = setUp();
  const [channel, sender, expiresAt] = ["telegram", "42", 1_000_001];
  const whole = { channel, sender, code: "ABCDEFGH", expiresAt };
  const offers = [
    null,
    "ABCDEFGH",
    { code: "NOBODYSX", expiresAt },
    { channel, code: "NOSENDER", expiresAt },
    { channel, sender, expiresAt },
    { channel, sender, code: "FOREVERX" },
    { channel, sender, code: "QUOTEDXX", expiresAt: "1000001" },
    whole,
  ];
  mkdirSync(join(directory, "channels"));
  writeFileSync(join(directory, "channels", "pairing.json"), JSON.stringify({ paired: [], offers }));
  expect(pairing.offers()).toEqual([whole]);
  expect(await pairing.accept("NOBODYSX")).toBeUndefined();
  expect(await pairing.accept("ABCDEFGH")).toEqual({ channel, sender });
});

test("R260 who is removed stays removed and who is paired stays paired while strangers write to another process", async () => {
  const directory = mkdtempSync(join(tmpdir(), "margay-pairing-"));
  onTestFinished(() => rmSync(directory, { recursive: true, force: true }));
  const pairing = openPairing(openFileDocs(directory), { now: Date.now });
  const friend = await pairing.offer("telegram", "friend");
  await pairing.accept(friend ?? "");
  const program = join(import.meta.dirname, "strangers-program.ts");
  const child = spawn(process.execPath, ["--conditions=margay-source", program, directory, "60"]);
  onTestFinished(() => void child.kill("SIGKILL"));
  const ended = once(child, "exit");
  await once(child.stdout, "data");
  let running = true;
  void ended.then(() => (running = false));
  for (let n = 0; running || n < 5; n++) {
    const code = await pairing.offer("telegram", `guest-${n}`);
    expect(await pairing.accept(code ?? "")).toEqual({ channel: "telegram", sender: `guest-${n}` });
    expect(await pairing.remove("telegram", `guest-${n}`)).toBe(true);
    await setImmediate();
    expect(pairing.has("telegram", `guest-${n}`)).toBe(false);
  }
  expect(await ended).toEqual([0, null]);
  expect(pairing.list().map(({ sender }) => sender)).toEqual(["friend"]);
  expect(pairing.offers()).toHaveLength(60);
});
