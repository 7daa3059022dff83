// A channel alone, as the program makes it, and an inbox that says what it is told to: for the tests of each platform.
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { onTestFinished } from "vitest";
import { channelHost } from "../../src/channels/host.ts";
import type { Clock, JsonObject, Logger } from "../../src/contract/base.ts";
import { fetchedPart } from "../../src/channels/media/keep-file.ts";
import type { Accepted, ChannelInbox, InboundMessage } from "../../src/contract/bus.ts";
import type { Channel, ChannelHost, OutboundPiece } from "../../src/contract/channel.ts";
import type { ContentPart, SentFile } from "../../src/contract/message.ts";
import type { BlobStore } from "../../src/contract/services.ts";
import { openBlobs } from "../../src/journal/blobs.ts";
import { systemClock } from "../../src/machine/system/clock.ts";

/** What the channel has told, in order. */
export interface Told {
  readonly events: { readonly event: string; readonly data: JsonObject }[];
  readonly up: (string | undefined)[];
  readonly dead: string[];
  readonly degraded: string[];
  alive: number;
}

export interface TestHost extends ChannelHost {
  readonly blobs: BlobStore;
  readonly told: Told;
  /** Looked at when the channel keeps or tells something. */
  until(condition: () => boolean): Promise<void>;
}

export function temporary(name: string): string {
  const folder = mkdtempSync(join(tmpdir(), `margay-${name}-`));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true, maxRetries: 5 }));
  return folder;
}

/** As the program makes it. @param folder holds state and files, also of the process before */
export function testHost(id: string, folder: string, clock: Clock = systemClock()): TestHost {
  const told: Told = { events: [], up: [], dead: [], degraded: [], alive: 0 };
  const blobs = openBlobs(join(folder, "blobs"));
  const { until, changed } = watched();
  const write = (event: string, data: JsonObject = {}): void => {
    told.events.push({ event, data });
    changed();
  };
  const log: Logger = { debug: write, info: write, warn: write, error: write, child: () => log };
  const host = channelHost(id, {
    folder,
    blobs: () => blobs,
    fileHosts: ["http://127.0.0.1"],
    clock,
    log,
    report: (_id, { state, account, alive, degraded }) => {
      if (degraded !== undefined) told.degraded.push(degraded);
      if (state === "up") told.up.push(account);
      if (alive === true) told.alive += 1;
      changed();
    },
  });
  const { state } = host;
  const kept: ChannelHost["state"] = {
    ...state,
    setCursor: async (cursor) => state.setCursor(cursor).then(changed),
    setValue: async (name, value) => state.setValue(name, value).then(changed),
  };
  const deadLetter: ChannelHost["deadLetter"] = (frame, error) => {
    told.dead.push(String(frame));
    host.deadLetter(frame, error);
  };
  return { ...host, state: kept, deadLetter, blobs, told, until };
}

/** Looks when something has changed. */
function watched(): { readonly changed: () => void; readonly until: (holds: () => boolean) => Promise<void> } {
  const watchers = new Set<() => void>();
  return {
    changed: () => {
      for (const look of [...watchers]) look();
    },
    until: (holds) =>
      new Promise((resolve) => {
        const look = (): void => {
          if (!holds()) return;
          watchers.delete(look);
          resolve();
        };
        watchers.add(look);
        look();
      }),
  };
}

/** What the host would do with the files of a message, once it is accepted. */
export interface Kept {
  readonly blobs?: BlobStore;
}

/** A channel whose files are kept where its host keeps them. */
export function keeping<Of extends Channel>(channel: Of, { blobs }: Pick<TestHost, "blobs">): Of & Kept {
  return Object.assign(channel, { blobs });
}

type WithMedia = InboundMessage & { readonly quotes?: { readonly media?: readonly ContentPart[] } };

async function fetched(channel: Channel & Kept, message: InboundMessage): Promise<WithMedia> {
  const { files = [], quotes, ...rest } = message;
  const log: Logger = { debug: () => {}, info: () => {}, warn: () => {}, error: () => {}, child: () => log };
  const clock = { ...systemClock(), sleep: () => Promise.resolve() };
  const options = {
    blobs: channel.blobs ?? { put: () => Promise.reject(new Error("no blobs")) },
    clock,
    log,
    redact: String,
  };
  const all = async (some: readonly SentFile[]): Promise<readonly ContentPart[]> =>
    Promise.all(some.map(async (file) => fetchedPart(file, () => channel, options, never)));
  const shown = await all(quotes?.files ?? []);
  const media = shown.filter(({ type }) => type === "media");
  const lines = shown.flatMap((part) => (part.type === "text" ? [part.text] : []));
  return {
    ...rest,
    parts: [...message.parts, ...(await all(files))],
    ...(quotes !== undefined && {
      quotes: {
        ...quotes,
        ...(lines.length > 0 && { text: [...(quotes.text === undefined ? [] : [quotes.text]), ...lines].join("\n") }),
        ...(media.length > 0 && { media }),
      },
    }),
  };
}

function hasFiles({ files = [], quotes }: InboundMessage): boolean {
  return files.length + (quotes?.files ?? []).length > 0;
}

export const ACCEPTED = { status: "accepted" } as Accepted; // the rest of it is not looked at

export type Change = Parameters<ChannelInbox["edited" | "removed" | "reacted"]>[0];

type Lost = Parameters<ChannelInbox["undelivered"]>[0];

export interface Running extends AsyncDisposable {
  /** With their files, which are fetched once a message was taken. */
  readonly messages: readonly WithMedia[];
  /** What people did to what they had written, in order. */
  readonly changes: readonly Change[];
  readonly presses: readonly Parameters<ChannelInbox["press"]>[0][];
  /** Resolves with what did not arrive when there is that much; rejects when the channel ends before. */
  lost(count: number): Promise<readonly Lost[]>;
  /** Resolves with them when there are that many; rejects when the channel ends before. */
  changed(count: number): Promise<readonly Change[]>;
  /** Resolves with the messages when there are that many; rejects when the channel ends before. */
  received(count: number): Promise<readonly WithMedia[]>;
  /** What `run` ended with. */
  readonly ended: Promise<unknown>;
  stop(): Promise<unknown>;
}

/** @param answer what becomes of the message with that number, from 1 */
export function run(
  channel: Channel & Kept,
  answer: (message: InboundMessage, number: number) => Accepted | Promise<Accepted> = () => ACCEPTED,
  { press, admits = () => Promise.resolve(true) }: Partial<Pick<ChannelInbox, "press" | "admits">> = {},
): Running {
  const controller = new AbortController();
  const messages: WithMedia[] = [];
  let offered = 0;
  let open = 0;
  let before = Promise.resolve();
  /** In their order; at once where nothing is to be fetched. */
  const kept = (message: InboundMessage, put: (message: WithMedia) => void): void => {
    if (open === 0 && !hasFiles(message)) return put(message);
    open += 1;
    before = before.then(async () => put(await fetched(channel, message))).finally(() => (open -= 1));
  };
  const changes: Change[] = [];
  const presses: Parameters<ChannelInbox["press"]>[0][] = [];
  const lost: Lost[] = [];
  const { until, changed } = watched();
  const noted = <Answer>(change: Change, answer: Answer): Promise<Answer> => {
    changes.push(change);
    changed();
    return Promise.resolve(answer);
  };
  const inbox: ChannelInbox = {
    admits,
    edited: async (change) => {
      // Else it would be taken for what it changes, told again.
      if (change.key === change.edits) throw new Error("a change has a key of its own");
      kept(change, (message) => void noted({ ...change, ...message }, { status: "replaced" }));
      return { status: "replaced" };
    },
    removed: (change) => noted(change, "withdrawn"),
    reacted: (change) => noted(change, "counted"),
    undelivered: (one) => {
      lost.push(one);
      changed();
      return Promise.resolve("noted");
    },
    accept: async (message) => {
      offered += 1;
      kept(message, (one) => {
        messages.push(one);
        changed();
      });
      return answer(message, offered);
    },
    press: async (pressed) => {
      presses.push(pressed);
      if (press === undefined) throw new Error("nobody presses here");
      return press(pressed);
    },
  };
  const ended = channel.run(inbox, controller.signal).then(
    () => undefined,
    (error: unknown) => error,
  );
  const over = ended.then((error) => Promise.reject(error instanceof Error ? error : new Error("run() ended")));
  over.catch(() => {}); // told to whoever waits
  const stop = (): Promise<unknown> => {
    controller.abort(new Error("the test is over"));
    return ended;
  };
  onTestFinished(async () => void (await stop()));
  const counted = async <T>(all: readonly T[], count: number): Promise<readonly T[]> => {
    await Promise.race([until(() => all.length >= count), over]);
    return all;
  };
  return {
    messages,
    changes,
    presses,
    ended,
    stop,
    changed: (count) => counted(changes, count),
    lost: (count) => counted(lost, count),
    received: (count) => counted(messages, count),
    [Symbol.asyncDispose]: async () => void (await stop()),
  };
}

export const never: AbortSignal = new AbortController().signal;

/** A text as it leaves. */
export function textTo(to: OutboundPiece["to"], text: string, more: Partial<OutboundPiece> = {}): OutboundPiece {
  return { reply: `reply-${text}`, to, kind: "reply", parts: [{ type: "text", text }], ...more };
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
