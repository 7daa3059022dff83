// The channel as the program has it, with a folder of its own, in front of a Feishu on this machine.
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Channel, InboundMessage, Json, JsonObject, Logger, OutboundMessage } from "@margay/core";
import { type Accepted, type BlobStore, channelHost, openBlobs, systemClock } from "@margay/core/internal";
import type { ChannelHost, ChannelInbox, OutboundPiece, Pressed } from "@margay/core/plugin";
import { onTestFinished } from "vitest";
import { plugin } from "../src/index.ts";
import { type Feishu, type FeishuOptions, startFeishu } from "./emulator/feishu.ts";
import type { Chat, Person } from "./emulator/world.ts";

export const SENDING = "POST /im/v1/messages";
export const REPLYING = "POST /im/v1/messages/:id/reply";
export const LISTING = "GET /im/v1/messages";

/** What the channel has told, in order. */
interface Told {
  readonly events: { readonly event: string; readonly data: JsonObject }[];
  readonly up: (string | undefined)[];
  readonly dead: string[];
  /** What does not work. */
  readonly degraded: string[];
  alive: number;
}

export interface TestHost extends ChannelHost {
  readonly blobs: BlobStore;
  readonly told: Told;
}

function temporary(): string {
  const folder = mkdtempSync(join(tmpdir(), "margay-feishu-"));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true, maxRetries: 5 }));
  return folder;
}

/** As the program makes it. @param changed called when something was told or kept */
function testHost(folder: string, changed: () => void, time: Time): TestHost {
  const told: Told = { events: [], up: [], dead: [], degraded: [], alive: 0 };
  const blobs = openBlobs(join(folder, "blobs"));
  const write = (event: string, data: JsonObject = {}): void => {
    told.events.push({ event, data });
    changed();
  };
  const log: Logger = { debug: write, info: write, warn: write, error: write, child: () => log };
  const clock = systemClock();
  const host = channelHost("feishu", {
    folder,
    blobs: () => blobs,
    clock: { ...clock, now: () => clock.now() + time.shift },
    log,
    report: (_id, { state, account, alive, degraded }) => {
      if (degraded !== undefined) told.degraded.push(degraded);
      if (state === "up") told.up.push(account);
      if (alive === true) told.alive += 1;
      changed();
    },
  });
  const deadLetter: ChannelHost["deadLetter"] = (frame, error) => {
    told.dead.push(String(frame));
    host.deadLetter(frame, error);
  };
  const setValue = async (name: string, value: Json | undefined): Promise<void> => {
    await host.state.setValue(name, value);
    changed();
  };
  return { ...host, state: { ...host.state, setValue }, deadLetter, blobs, told };
}

/** How much later it is for the channel. */
interface Time {
  shift: number;
}

export interface Process {
  readonly host: TestHost;
  readonly channel: Channel;
  /** Looked at when the channel keeps or tells something. */
  until(condition: () => boolean): Promise<void>;
  /** It is connected, and what it was told up to now was taken. */
  settled(): Promise<void>;
}

export interface Scene extends Process {
  readonly feishu: Feishu;
  readonly anna: Person;
  /** Anna's private chat. */
  readonly dm: Chat;
  readonly folder: string;
  readonly time: Time;
  /** The same app after the end of the process. */
  again(settings?: Readonly<Record<string, string>>): Process;
}

/** What Feishu would not know fails the test in the end. */
export async function scene(options: FeishuOptions = {}): Promise<Scene> {
  const feishu = await startFeishu(options);
  onTestFinished(() => feishu[Symbol.asyncDispose]());
  const anna = feishu.person("Anna");
  const folder = temporary();
  const time: Time = { shift: 0 };
  const again = (settings: Readonly<Record<string, string>> = {}): Process => {
    const watchers = new Set<() => void>();
    const changed = (): void => {
      for (const watcher of [...watchers]) watcher();
    };
    const host = testHost(folder, changed, time);
    const until = (condition: () => boolean): Promise<void> =>
      new Promise((resolve) => {
        const check = (): void => {
          if (!condition()) return;
          watchers.delete(check);
          resolve();
        };
        watchers.add(check);
        check();
      });
    return {
      host,
      channel: plugin.create({ id: "feishu", settings: { ...feishu.settings, ...settings } }, host),
      until,
      settled: async () => {
        await until(() => host.told.up.length > 0);
        await feishu.until(() => feishu.gateway.events.every(({ answer }) => answer !== undefined));
      },
    };
  };
  return { feishu, anna, dm: feishu.dm(anna), folder, time, again, ...again() };
}

export const ACCEPTED = { status: "accepted" } as Accepted; // the rest of it is not looked at

export type Change = Parameters<ChannelInbox["edited" | "removed" | "reacted"]>[0];

export interface Running {
  readonly messages: readonly InboundMessage[];
  /** What people did to what they had written, in order. */
  readonly changes: readonly Change[];
  /** Resolves with them when there are that many; rejects when the channel ends before. */
  changed(count: number): Promise<readonly Change[]>;
  readonly presses: readonly Parameters<ChannelInbox["press"]>[0][];
  /** Resolves with the messages when there are that many; rejects when the channel ends before. */
  received(count: number): Promise<readonly InboundMessage[]>;
  /** What `run` ended with. */
  readonly ended: Promise<unknown>;
  stop(): Promise<unknown>;
}

export interface Answers {
  /** What becomes of the message with that number, from 1. */
  readonly accept?: (message: InboundMessage, number: number) => Accepted | Promise<Accepted>;
  readonly press?: () => Pressed | Promise<Pressed>;
  readonly admits?: boolean;
}

export function run(channel: Channel, { accept: answer, press, admits = true }: Answers = {}): Running {
  const controller = new AbortController();
  const messages: InboundMessage[] = [];
  const changes: Change[] = [];
  const presses: Parameters<ChannelInbox["press"]>[0][] = [];
  const watchers = new Set<() => void>();
  const noted = <Answer>(change: Change, answer: Answer): Promise<Answer> => {
    changes.push(change);
    for (const watcher of watchers) watcher();
    return Promise.resolve(answer);
  };
  const inbox: ChannelInbox = {
    edited: (change) => noted(change, { status: "replaced" }),
    removed: (change) => noted(change, "withdrawn"),
    reacted: (change) => noted(change, "counted"),
    accept: async (message) => {
      messages.push(message);
      for (const watcher of watchers) watcher();
      return answer?.(message, messages.length) ?? ACCEPTED;
    },
    admits: () => Promise.resolve(admits),
    press: async (pressed) => {
      presses.push(pressed);
      return press?.() ?? { status: "done", text: "Allowed." };
    },
  };
  const ended = channel.run(inbox, controller.signal).then(
    () => undefined,
    (error: unknown) => error,
  );
  const stop = (): Promise<unknown> => {
    controller.abort(new Error("the test is over"));
    return ended;
  };
  onTestFinished(async () => void (await stop()));
  return {
    messages,
    changes,
    presses,
    ended,
    stop,
    changed: (count) =>
      new Promise((resolve, reject) => {
        const check = (): void => {
          if (changes.length >= count) resolve(changes);
        };
        watchers.add(check);
        check();
        void ended.then((error) => reject(error instanceof Error ? error : new Error("run() ended")));
      }),
    received: (count) =>
      new Promise((resolve, reject) => {
        const check = (): void => {
          if (messages.length >= count) resolve(messages);
        };
        watchers.add(check);
        check();
        void ended.then((error) => reject(error instanceof Error ? error : new Error("run() ended")));
      }),
  };
}

export const never: AbortSignal = new AbortController().signal;

export function outbound(
  chat: { readonly id: string },
  text: string,
  more: Partial<OutboundPiece> = {},
): OutboundMessage & OutboundPiece {
  return {
    reply: `reply-${text}`,
    to: { channel: "feishu", chat: chat.id },
    kind: "reply",
    parts: [{ type: "text", text }],
    ...more,
  };
}

/** As the host prints it. */
export function card(chat: { readonly id: string }, text: string, more: Partial<OutboundPiece> = {}): OutboundPiece {
  return outbound(chat, text, { rendered: { text, plain: text }, ...more });
}

export function textsOf(messages: readonly InboundMessage[]): readonly string[] {
  return messages.map(({ parts }) => parts.map((part) => (part.type === "text" ? part.text : "")).join("\n"));
}

/** What a promise was rejected with. */
export async function failure(promise: Promise<unknown>): Promise<unknown> {
  return promise.then(
    (value) => new Error(`nothing failed: ${String(value)}`),
    (error: unknown) => error,
  );
}
