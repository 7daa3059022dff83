// What stands between the agent and a channel hands on everything: typing, edits, presses.
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Channel } from "@margay/core";
import { createChannelHooks, silentLog, untilAborted } from "@margay/core/internal";
import { fakeClock, recordingChannel } from "@margay/core/testing";
import { expect, onTestFinished, test } from "vitest";
import { pluginChannel } from "../../src/features/channels/plugin-channel.ts";
import { watchChannels } from "../../src/features/channels/watched.ts";

const TO = { channel: "talk", chat: "1" };
const PIECE = { reply: "r", to: TO, kind: "approval", parts: [{ type: "text", text: "over" }] } as const;
const PRESS = { key: "k", token: "t", from: { id: "ann", kind: "person" }, origin: TO } as const;
const never = new AbortController().signal;

type ChannelInbox = Parameters<Channel["run"]>[0];

/** @returns what the agent's side was told of presses. */
async function pressed(channel: Channel, press: () => Promise<unknown>): Promise<readonly unknown[]> {
  const told: unknown[] = [];
  const inbox: ChannelInbox = {
    accept: () => Promise.resolve({ status: "duplicate" }),
    admits: () => Promise.resolve(true),
    edited: () => Promise.reject(new Error("nobody changes anything here")),
    reacted: () => Promise.resolve("ignored"),
    undelivered: () => Promise.reject(new Error("nothing is lost here")),
    removed: () => Promise.reject(new Error("nobody takes anything back here")),
    press: (one) => {
      told.push(one);
      return Promise.resolve({ status: "done", text: "Allowed, once." });
    },
  };
  const stop = new AbortController();
  const running = channel.run(inbox, stop.signal);
  expect(await press()).toEqual({ status: "done", text: "Allowed, once." });
  stop.abort(new Error("enough"));
  await running;
  return told;
}

test("CH69 CH70 CH72 CH76 a channel of the configuration hands on typing, edits, presses and files", async () => {
  const inner = recordingChannel("talk", { buttons: true, typingMs: 5000 });
  const { channels, status } = watchChannels({
    configured: { talk: { enabled: true } },
    hooks: createChannelHooks(),
    create: () => inner,
    clock: fakeClock(),
    log: silentLog,
  });
  const channel = channels.get("talk");
  if (channel === undefined) throw new Error("There is no channel.");
  expect(channel.can).toMatchObject({ buttons: true, typingMs: 5000 });
  await channel.typing?.(TO, never);
  await channel.edit?.("7", PIECE, never);
  const file = await channel.fetchMedia?.({ locator: "a cat" }, never);
  expect(file).toBeDefined();
  expect(inner.fetched).toEqual(["a cat"]);
  expect(inner.typed).toEqual([TO]);
  await channel.react?.("m1", "\u{1f440}", true, TO, never);
  expect(inner.reacted).toEqual([{ of: "m1", emoji: "\u{1f440}", isOn: true, to: TO }]);
  expect(inner.edits).toEqual([{ platformId: "7", message: PIECE }]);
  const told = await pressed(channel, () => inner.press("t", { key: "k", from: PRESS.from }));
  expect(told).toEqual([PRESS]);
  expect(status("talk")?.lastIn).toBeDefined();
});

/** Tells in its own id what was called. */
const PLUGIN = `export const plugin = {
  contract: "channel/1",
  kind: "talk",
  create: ({ id }) => ({
    id,
    can: { once: "no", text: { dialect: "plain", max: 100 } },
    run: async (inbox, signal) => {
      globalThis.talkPressed = inbox.press(${JSON.stringify(PRESS)});
      await new Promise((resolve) => signal.addEventListener("abort", resolve));
    },
    send: async () => undefined,
    typing: async (to) => { globalThis.talkTyped = to; },
    react: async (...asked) => { globalThis.talkReacted = asked.slice(0, 4); },
    edit: async (id, piece) => { globalThis.talkEdited = [id, piece]; },
  }),
};`;

test("CH69 CH70 CH72 so does a channel whose plugin is loaded when it is needed", async () => {
  const folder = mkdtempSync(join(tmpdir(), "margay-proxies-"));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  const entry = join(folder, "plugin.mjs");
  writeFileSync(entry, PLUGIN);
  const kind = {
    kind: "talk",
    title: "Talk",
    needs: "socket",
    can: { once: "no", text: { dialect: "plain", max: 100 }, buttons: true, typingMs: 5000 },
    account: [],
    schema: { type: "object" },
    guide: { en: "", zh: "" },
    place: { package: "margay-channel-talk", version: "1.0.0", entry, from: "installed", folder },
  } as const;
  const channel = pluginChannel("talk", kind, { enabled: true }, { folder, clock: fakeClock(), log: silentLog });
  await channel.typing?.(TO, never);
  await channel.react?.("m1", "\u{1f440}", false, TO, never);
  await channel.edit?.("7", PIECE, never);
  const told = await pressed(channel, async () => {
    while (Reflect.get(globalThis, "talkPressed") === undefined)
      await new Promise((resolve) => void setImmediate(resolve));
    return Reflect.get(globalThis, "talkPressed") as Promise<unknown>;
  });
  expect(told).toEqual([PRESS]);
  expect(Reflect.get(globalThis, "talkTyped")).toEqual(TO);
  expect(Reflect.get(globalThis, "talkReacted")).toEqual(["m1", "\u{1f440}", false, TO]);
  expect(Reflect.get(globalThis, "talkEdited")).toEqual(["7", PIECE]);
});

/** How often it was run until that long has passed without a word. @param isCalled its platform calls an address */
async function silent(isCalled: boolean): Promise<number> {
  const clock = fakeClock();
  const hooks = createChannelHooks();
  hooks.serve();
  let runs = 0;
  const begun = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
  const talk: Channel = {
    id: "talk",
    can: { once: "no", text: { dialect: "plain", max: 100 }, silenceMs: 90_000 },
    send: () => Promise.resolve(undefined),
    run: async (_inbox, signal) => {
      const hook = { proof: () => undefined, handle: () => Promise.resolve(undefined) };
      using _open = isCalled ? hooks.open("talk", "events", hook) : undefined;
      begun[runs]?.resolve();
      runs += 1;
      await untilAborted(signal);
    },
  };
  const watched = watchChannels({
    configured: { talk: { enabled: true } },
    hooks,
    create: () => talk,
    clock,
    log: silentLog,
  });
  const stop = new AbortController();
  const inbox = {} as Parameters<Channel["run"]>[0]; // nothing comes
  const running = watched.channels.get("talk")?.run(inbox, stop.signal);
  await begun[0]?.promise;
  for (let minute = 0; minute < 10; minute += 1) await clock.advance(60_000);
  if (!isCalled) await begun[1]?.promise;
  stop.abort(new Error("enough"));
  await running;
  return runs;
}

test("CH55 CH56 who calls us may be silent for as long as there is nothing to say; a connection may not", async () => {
  expect(await silent(true)).toBe(1);
  expect(await silent(false)).toBeGreaterThan(1);
});
