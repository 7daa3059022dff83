// The channel as the program has it, with a folder of its own, in front of a Slack on this machine.
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Channel, InboundMessage, Json, JsonObject, Logger } from "@margay/core";
import { type Accepted, type BlobStore, channelHost, openBlobs, systemClock } from "@margay/core/internal";
import type { ChannelHost, ChannelInbox, OutboundPiece } from "@margay/core/plugin";
import { onTestFinished } from "vitest";
import { plugin } from "../src/index.ts";
import { type Slack, type SlackOptions, startSlack } from "./emulator/slack.ts";
import type { Channel as Chat, User } from "./emulator/world.ts";

export const SENDING = "chat.postMessage";

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
  const folder = mkdtempSync(join(tmpdir(), "margay-slack-"));
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
  const host = channelHost("slack", {
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
    changed();
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
  /** It is connected. */
  up(): Promise<void>;
}

export interface Scene extends Process {
  readonly slack: Slack;
  readonly anna: User;
  /** Anna's private chat. */
  readonly dm: Chat;
  readonly folder: string;
  readonly settings: Record<string, string>;
  /** The same app after the end of the process. */
  again(): Process;
}

/** What Slack would not know fails the test in the end. */
export async function scene(
  options: SlackOptions & { readonly replyInThread?: "auto" | "always" | "never" } = {},
): Promise<Scene> {
  const { replyInThread, ...rest } = options;
  const slack = await startSlack(rest);
  onTestFinished(() => slack[Symbol.asyncDispose]());
  const anna = slack.person("Anna");
  const folder = temporary();
  const settings = {
    token: slack.tokens.bot ?? "",
    appToken: slack.tokens.app ?? "",
    baseUrl: slack.url,
    ...(replyInThread !== undefined && { replyInThread }),
  };
  const again = (): Process => {
    const watchers = new Set<() => void>();
    const changed = (): void => {
      for (const watcher of [...watchers]) watcher();
    };
    const host = testHost(folder, changed);
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
      channel: plugin.create({ id: "slack", settings }, host),
      until,
      up: () => until(() => host.told.up.length > 0),
    };
  };
  return { slack, anna, dm: slack.dm(anna), folder, settings, again, ...again() };
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
  more: Partial<Pick<ChannelInbox, "press" | "admits">> = {},
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
        ...more,
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
    to: { channel: "slack", chat: chat.id },
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
