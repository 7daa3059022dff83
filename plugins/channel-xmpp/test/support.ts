/** The real channel against the real server, with all that margay hands to it. */
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Clock, Json } from "@margay/core";
import { type Accepted, channelHost, type ChannelChange, silentLog, systemClock } from "@margay/core/internal";
import type { Channel, ChannelHost, ChannelInbox, InboundMessage, OutboundPiece } from "@margay/core/plugin";
import { onTestFinished } from "vitest";
import { plugin } from "../src/index.ts";
import { startXmppServer, type XmppServer, type XmppServerOptions } from "./peer.ts";
import { DOMAIN, PASSWORD } from "./person.ts";

export const BOT = `bot@${DOMAIN}`;

export const ACCEPTED = {
  status: "accepted",
  session: "s",
  sessionKey: "k",
  seq: 1,
  message: "m",
} as unknown as Accepted;

export function temporary(): string {
  const folder = mkdtempSync(join(tmpdir(), "xmpp-test-"));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
}

export async function xmppServer(options?: XmppServerOptions): Promise<XmppServer> {
  const server = await startXmppServer(options);
  onTestFinished(() => server[Symbol.asyncDispose]());
  return server;
}

export function settings(
  server: XmppServer,
  more: Readonly<Record<string, Json>> = {},
): Readonly<Record<string, Json>> {
  return { jid: BOT, password: PASSWORD, host: "127.0.0.1", port: server.proxy.port, security: "none", ...more };
}

export function piece(reply: string, chat: string, text: string): OutboundPiece {
  return { reply, to: { channel: "xmpp", chat }, kind: "reply", parts: [{ type: "text", text }] };
}

export function never(): AbortSignal {
  return new AbortController().signal;
}

/** Something that happens, and whoever waits for it. */
export class Watched {
  readonly #watchers = new Set<() => void>();

  changed(): void {
    for (const look of [...this.#watchers]) look();
  }

  until(holds: () => boolean): Promise<void> {
    return new Promise((resolve) => {
      const look = (): void => {
        if (!holds()) return;
        this.#watchers.delete(look);
        resolve();
      };
      this.#watchers.add(look);
      look();
    });
  }
}

export type Change = Parameters<ChannelInbox["edited" | "removed" | "reacted"]>[0];

export interface Running {
  changed(): void;
  until(holds: () => boolean): Promise<void>;
  readonly channel: Channel;
  readonly host: ChannelHost;
  readonly messages: readonly InboundMessage[];
  /** What people did to what they had written, in order. */
  readonly edits: readonly Change[];
  readonly changes: readonly ChannelChange[];
  readonly dead: readonly string[];
  /** Resolves when so many messages were offered. */
  received(count: number): Promise<void>;
  /** Resolves when it was up so often: connected, and what was there is read. */
  up(times?: number): Promise<void>;
  /** Ends it. @returns what it threw. */
  stop(): Promise<unknown>;
  /** What `run` ended with, when it ends by itself. */
  readonly ended: Promise<unknown>;
}

export interface StartOptions {
  readonly more?: Readonly<Record<string, Json>>;
  readonly clock?: Clock;
  readonly answer?: (message: InboundMessage, count: number) => Promise<Accepted>;
}

export function texts({ messages }: Running): readonly string[] {
  return messages.map(({ parts }) => parts.map((part) => (part.type === "text" ? part.text : part.type)).join("|"));
}

/** A host as the program makes it, for a channel that is run by a test. */
export function hostIn(
  folder: string,
  watched: { changed(): void; changes: ChannelChange[]; dead?: string[] },
  clock: Clock = systemClock(),
): ChannelHost {
  const blobs = new Map<string, Uint8Array>();
  const host = channelHost("xmpp", {
    folder,
    blobs: () => ({
      put: (bytes) => {
        const sha256 = String(blobs.size);
        blobs.set(sha256, bytes);
        return Promise.resolve({ sha256, bytes: bytes.length });
      },
      read: ({ sha256 }) => Promise.resolve(blobs.get(sha256) ?? new Uint8Array()),
    }),
    clock,
    log: silentLog,
    report: (_id, change) => {
      watched.changes.push(change);
      watched.changed();
    },
  });
  const setCursor: typeof host.state.setCursor = async (cursor) => {
    await host.state.setCursor(cursor);
    watched.changed();
  };
  return {
    ...host,
    state: { ...host.state, setCursor },
    deadLetter: (frame, error) => {
      watched.dead?.push(String(frame));
      host.deadLetter(frame, error);
    },
  };
}

export function start(
  server: XmppServer,
  folder: string,
  { more = {}, clock, answer = () => Promise.resolve(ACCEPTED) }: StartOptions = {},
): Running {
  const watched = new Watched();
  const messages: InboundMessage[] = [];
  const edits: Change[] = [];
  const changes: ChannelChange[] = [];
  const dead: string[] = [];
  const host = hostIn(folder, { changed: () => watched.changed(), changes, dead }, clock);
  const channel = plugin.create({ id: "xmpp", settings: settings(server, more) }, host);
  const controller = new AbortController();
  const noted = <Answer>(change: Change, answer: Answer): Promise<Answer> => {
    edits.push(change);
    watched.changed();
    return Promise.resolve(answer);
  };
  const inbox: ChannelInbox = {
    edited: (change) => noted(change, { status: "replaced" }),
    removed: (change) => noted(change, "withdrawn"),
    reacted: (change) => noted(change, "counted"),
    admits: () => Promise.resolve(true),
    press: () => Promise.reject(new Error("There are no buttons.")),
    accept: (message: InboundMessage) => {
      messages.push(message);
      watched.changed();
      return answer(message, messages.length);
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
  onTestFinished(() => void stop());
  const failed = ended.then((error) => {
    if (!controller.signal.aborted) throw error instanceof Error ? error : new Error(String(error));
    return new Promise<never>(() => {});
  });
  failed.catch(() => {}); // told to whoever waits
  const until = (holds: () => boolean): Promise<void> => Promise.race([watched.until(holds), failed]);
  return {
    changed: () => watched.changed(),
    channel,
    host,
    messages,
    edits,
    changes,
    dead,
    until,
    received: (count: number) => until(() => messages.length >= count),
    up: (times = 1) => until(() => changes.filter(({ state }) => state === "up").length >= times),
    stop,
    ended,
  };
}
