// The channel as the program has it, with a folder of its own, in front of a Discord on this machine.
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Channel, InboundMessage, Json, JsonObject, Logger } from "@margay/core";
import type { OutboundPiece } from "@margay/core/plugin";
import { type Accepted, type BlobStore, channelHost, openBlobs, systemClock } from "@margay/core/internal";
import type { ChannelHost, ChannelInbox } from "@margay/core/plugin";
import type { APIUser } from "discord-api-types/v10";
import { onTestFinished } from "vitest";
import { plugin } from "../src/index.ts";
import { type Discord, type DiscordOptions, startDiscord } from "./emulator/discord.ts";

export const SENDING = "POST /channels/:channel/messages";

/** What the channel has told, in order. */
interface Told {
  readonly events: { readonly event: string; readonly data: JsonObject }[];
  readonly up: (string | undefined)[];
  readonly dead: string[];
  alive: number;
}

export interface TestHost extends ChannelHost {
  readonly blobs: BlobStore;
  readonly told: Told;
}

function temporary(): string {
  const folder = mkdtempSync(join(tmpdir(), "margay-discord-"));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true, maxRetries: 5 }));
  return folder;
}

/** As the program makes it. @param changed called when something was told or kept */
function testHost(folder: string, changed: () => void): TestHost {
  const told: Told = { events: [], up: [], dead: [], alive: 0 };
  const blobs = openBlobs(join(folder, "blobs"));
  const write = (event: string, data: JsonObject = {}): void => void told.events.push({ event, data });
  const log: Logger = { debug: write, info: write, warn: write, error: write, child: () => log };
  const clock = systemClock();
  const host = channelHost("discord", {
    folder,
    blobs: () => blobs,
    clock,
    log,
    report: (_id, { state, account, alive }) => {
      if (state === "up") told.up.push(account);
      if (alive === true) told.alive += 1;
      changed();
    },
  });
  const deadLetter: ChannelHost["deadLetter"] = (frame, error) => {
    told.dead.push(String(frame));
    host.deadLetter(frame, error);
  };
  const setCursor = async (cursor: Json): Promise<void> => {
    await host.state.setCursor(cursor);
    changed();
  };
  return { ...host, state: { ...host.state, setCursor }, deadLetter, blobs, told };
}

export interface Process {
  readonly host: TestHost;
  readonly channel: Channel;
  /** Looked at when the channel keeps or tells something. */
  until(condition: () => boolean): Promise<void>;
  /** It is connected, and what came up to now is behind its cursor. */
  settled(): Promise<void>;
}

export interface Scene extends Process {
  readonly discord: Discord;
  readonly anna: APIUser;
  /** Anna's private channel. */
  readonly dm: { readonly id: string };
  readonly folder: string;
  /** The same bot after the end of the process. */
  again(): Process;
}

/** What Discord would not know fails the test in the end. */
export async function scene(options: DiscordOptions & { readonly guilds?: readonly string[] } = {}): Promise<Scene> {
  const { guilds, ...rest } = options;
  const discord = await startDiscord(rest);
  onTestFinished(() => discord[Symbol.asyncDispose]());
  const anna = discord.person("Anna");
  const folder = temporary();
  const again = (): Process => {
    const watchers = new Set<() => void>();
    const changed = (): void => {
      for (const watcher of [...watchers]) watcher();
    };
    const host = testHost(folder, changed);
    const settings = {
      token: discord.token,
      baseUrl: discord.url,
      ...(guilds !== undefined && { guilds: [...guilds] }),
    };
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
      channel: plugin.create({ id: "discord", settings }, host),
      until,
      settled: () => until(() => host.told.up.length > 0 && seqOf(host) >= discord.gateway.seq()),
    };
  };
  return { discord, anna, dm: discord.dm(anna), folder, again, ...again() };
}

/** How far the channel says that it has come. */
export function seqOf({ state }: ChannelHost): number {
  const cursor = state.cursor() as { readonly seq?: number } | undefined; // it is an object
  return cursor?.seq ?? 0;
}

export const ACCEPTED = { status: "accepted" } as Accepted; // the rest of it is not looked at

export type Change = Parameters<ChannelInbox["edited" | "removed" | "reacted"]>[0];

export interface Running {
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
  };
}

export const never: AbortSignal = new AbortController().signal;

export function outbound(
  chat: { readonly id: string },
  text: string,
  more: Partial<OutboundPiece> = {},
): OutboundPiece {
  return {
    reply: `reply-${text}`,
    to: { channel: "discord", chat: chat.id },
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

/** A file as people attach it. */
export function upload(
  name: string,
  bytes: Uint8Array | string,
  type = "text/plain",
): { name: string; type: string; bytes: Buffer } {
  return { name, type, bytes: Buffer.from(bytes) };
}
