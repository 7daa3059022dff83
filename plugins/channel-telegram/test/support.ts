// The channel as the program has it, with a folder of its own, in front of a Telegram on this machine.
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Channel, Clock, InboundMessage, JsonObject, Logger, OutboundMessage } from "@margay/core";
import { type Accepted, type BlobStore, channelHost, openBlobs, systemClock } from "@margay/core/internal";
import type { ChannelHost, ChannelInbox } from "@margay/core/plugin";
import type { Chat, User } from "grammy/types";
import { onTestFinished } from "vitest";
import { plugin } from "../src/index.ts";
import { startTelegram, type Telegram, type TelegramOptions } from "./emulator/telegram.ts";

/** What the channel has told, in order. */
export interface Told {
  readonly events: { readonly event: string; readonly data: JsonObject }[];
  readonly up: (string | undefined)[];
  readonly dead: string[];
  alive: number;
}

export interface TestHost extends ChannelHost {
  readonly blobs: BlobStore;
  readonly told: Told;
}

export function temporary(): string {
  const folder = mkdtempSync(join(tmpdir(), "margay-telegram-"));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true, maxRetries: 5 }));
  return folder;
}

/** As the program makes it. @param folder holds state and files, also of the process before */
export function testHost(folder: string, clock: Clock = systemClock()): TestHost {
  const told: Told = { events: [], up: [], dead: [], alive: 0 };
  const blobs = openBlobs(join(folder, "blobs"));
  const write = (event: string, data: JsonObject = {}): void => void told.events.push({ event, data });
  const log: Logger = { debug: write, info: write, warn: write, error: write, child: () => log };
  const host = channelHost("telegram", {
    folder,
    blobs: () => blobs,
    clock,
    log,
    report: (_id, { state, account, alive }) => {
      if (state === "up") told.up.push(account);
      if (alive === true) told.alive += 1;
    },
  });
  const deadLetter: ChannelHost["deadLetter"] = (frame, error) => {
    told.dead.push(String(frame));
    host.deadLetter(frame, error);
  };
  return { ...host, deadLetter, blobs, told };
}

export interface Place {
  readonly telegram: Telegram;
  readonly anna: User;
  readonly chat: Chat.PrivateChat;
  readonly folder: string;
  readonly host: TestHost;
  readonly channel: Channel;
  /** The same bot after the end of the process. */
  again(): { readonly host: TestHost; readonly channel: Channel };
}

/** Anna has pressed Start. What Telegram would not know fails the test in the end. */
export async function place(options: TelegramOptions & { readonly hostClock?: Clock } = {}): Promise<Place> {
  const { hostClock, ...rest } = options;
  const telegram = await startTelegram(rest);
  onTestFinished(() => telegram[Symbol.asyncDispose]());
  const anna = telegram.person("Anna", { last_name: "Moor", username: "anna_m" });
  const folder = temporary();
  const again = (): { host: TestHost; channel: Channel } => {
    const host = testHost(folder, hostClock);
    return { host, channel: channelOf(telegram, host) };
  };
  return { telegram, anna, chat: telegram.privateChat(anna), folder, again, ...again() };
}

export function channelOf({ token, url }: Pick<Telegram, "token" | "url">, host: ChannelHost): Channel {
  return plugin.create({ id: "telegram", settings: { token, baseUrl: url } }, host);
}

export const ACCEPTED = { status: "accepted" } as Accepted; // the rest of it is not looked at

export type Change = Parameters<ChannelInbox["edited" | "removed" | "reacted"]>[0];

export interface Running extends AsyncDisposable {
  readonly messages: readonly InboundMessage[];
  /** What people did to what they had written, in order. */
  readonly changes: readonly Change[];
  /** Resolves with them when there are that many; rejects when the channel ends before. */
  changed(count: number): Promise<readonly Change[]>;
  /** Resolves with the messages when there are that many; rejects when the channel ends before. */
  received(count: number): Promise<readonly InboundMessage[]>;
  /** What `run` ended with. */
  readonly ended: Promise<unknown>;
  stop(): Promise<unknown>;
}

/** @param answer what becomes of the message with that number, from 1 */
export function run(
  channel: Channel,
  answer: (message: InboundMessage, number: number) => Accepted | Promise<Accepted> = () => ACCEPTED,
): Running {
  const controller = new AbortController();
  const messages: InboundMessage[] = [];
  const changes: Change[] = [];
  const watchers = new Set<() => void>();
  const accept = async (message: InboundMessage): Promise<Accepted> => {
    messages.push(message);
    for (const watcher of watchers) watcher();
    return answer(message, messages.length);
  };
  const noted = <Answer>(change: Change, answer: Answer): Promise<Answer> => {
    changes.push(change);
    for (const watcher of watchers) watcher();
    return Promise.resolve(answer);
  };
  const ended = channel
    .run(
      {
        accept,
        admits: () => Promise.resolve(true),
        press: () => Promise.reject(new Error("nobody presses here")),
        edited: (change) => noted(change, { status: "replaced" }),
        removed: (change) => noted(change, "withdrawn"),
        reacted: (change) => noted(change, "counted"),
      },
      controller.signal,
    )
    .then(
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
    [Symbol.asyncDispose]: async () => void (await stop()),
  };
}

/** Nothing of Telegram waits for us any more. */
export async function allTaken({ telegram }: Pick<Place, "telegram">): Promise<void> {
  await telegram.until(() => telegram.pendingUpdates().length === 0 && telegram.isPolling());
}

export const never: AbortSignal = new AbortController().signal;

export function outbound(chat: number | string, text: string, more: Partial<OutboundMessage> = {}): OutboundMessage {
  return {
    reply: `reply-${text}`,
    to: { channel: "telegram", chat: String(chat) },
    kind: "reply",
    parts: [{ type: "text", text }],
    ...more,
  };
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

export const PNG: Buffer = Buffer.concat([Buffer.from([0x89, 0x50, 0x4e, 0x47, 13, 10, 26, 10]), Buffer.alloc(64, 1)]);
/** How a voice note begins: an Ogg page with the header of Opus. */
export const OPUS: Buffer = Buffer.concat([
  Buffer.from("OggS"),
  Buffer.alloc(24),
  Buffer.from("OpusHead"),
  Buffer.alloc(40, 1),
]);
