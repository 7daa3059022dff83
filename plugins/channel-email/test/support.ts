/** The real channel against the real mail server, with all that margay hands to it. */
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Json } from "@margay/core";
import type { Channel, InboundMessage } from "@margay/core/plugin";
import { type Accepted, channelHost, type ChannelChange, silentLog, systemClock } from "@margay/core/internal";
import { onTestFinished } from "vitest";
import { plugin } from "../src/index.ts";
import { type MailServer, type MailServerOptions, startMailServer } from "./peer.ts";

export const ACCEPTED = {
  status: "accepted",
  session: "s",
  sessionKey: "k",
  seq: 1,
  message: "m",
} as unknown as Accepted;

export function temporary(): string {
  const folder = mkdtempSync(join(tmpdir(), "email-"));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
}

export async function mailServer(options?: MailServerOptions): Promise<MailServer> {
  const server = await startMailServer(options);
  onTestFinished(() => server[Symbol.asyncDispose]());
  return server;
}

export interface Mail {
  readonly id?: string;
  readonly from?: string;
  readonly subject?: string;
  readonly text?: string;
  readonly headers?: readonly string[];
  /** What the receiving server has written about the sender. Default: that it is genuine; `none`: no such header. */
  readonly proof?: string;
}

/** A mail as the receiving server stores it. */
export function mail({
  id = "1",
  from = "anna@mail.test",
  subject = "Hello",
  text = "hi",
  headers = [],
  proof,
}: Mail = {}): string {
  const said = proof ?? `mx.mail.test; dmarc=pass header.from=${from.split("@")[1] ?? ""}`;
  return [
    ...(said === "none" ? [] : [`Authentication-Results: ${said}`]),
    `From: Anna <${from}>`,
    "To: bot@mail.test",
    `Subject: ${subject}`,
    `Message-ID: <${id}@mail.test>`,
    `Date: ${new Date().toUTCString().replace("GMT", "+0000")}`,
    ...headers,
    "MIME-Version: 1.0",
    "Content-Type: text/plain; charset=utf-8",
    "Content-Transfer-Encoding: 8bit",
    "",
    text,
    "",
  ].join("\r\n");
}

export function settings(
  server: MailServer,
  more: Readonly<Record<string, Json>> = {},
): Readonly<Record<string, Json>> {
  return {
    user: "bot",
    password: server.password,
    from: `bot@${server.domain}`,
    imapHost: server.host,
    imapPort: server.imapPort,
    imapSecurity: "none",
    smtpHost: server.host,
    smtpPort: server.smtpPort,
    smtpSecurity: "none",
    ...more,
  };
}

export interface Running {
  readonly channel: Channel;
  readonly messages: readonly InboundMessage[];
  readonly changes: readonly ChannelChange[];
  /** Resolves when so many messages were offered. */
  received(count: number): Promise<void>;
  /** Resolves when it is connected and has read what was there. */
  up(): Promise<void>;
  /** Ends it. @returns what it threw. */
  stop(): Promise<unknown>;
  /** What `run` ended with, when it ends by itself. */
  readonly ended: Promise<unknown>;
}

export function start(
  server: MailServer,
  folder: string,
  {
    more = {},
    answer = () => Promise.resolve(ACCEPTED),
    admitted = true,
  }: {
    readonly admitted?: boolean;
    readonly more?: Readonly<Record<string, Json>>;
    readonly answer?: (message: InboundMessage, count: number) => Promise<Accepted>;
  } = {},
): Running {
  const messages: InboundMessage[] = [];
  const changes: ChannelChange[] = [];
  const watchers = new Set<() => void>();
  const blobs = new Map<string, Uint8Array>();
  const until = (holds: () => boolean): Promise<void> =>
    new Promise((resolve) => {
      const look = (): void => {
        if (!holds()) return;
        watchers.delete(look);
        resolve();
      };
      watchers.add(look);
      look();
    });
  const changed = (): void => {
    for (const watcher of [...watchers]) watcher();
  };
  const host = channelHost("mail", {
    folder,
    blobs: () => ({
      put: (bytes) => {
        const sha256 = String(blobs.size);
        blobs.set(sha256, bytes);
        return Promise.resolve({ sha256, bytes: bytes.length });
      },
      read: ({ sha256 }) => Promise.resolve(blobs.get(sha256) ?? new Uint8Array()),
    }),
    clock: systemClock(),
    log: silentLog,
    report: (_id, change) => {
      changes.push(change);
      changed();
    },
  });
  const channel = plugin.create({ id: "mail", settings: settings(server, more) }, host);
  const controller = new AbortController();
  const inbox = {
    accept: (message: InboundMessage) => {
      messages.push(message);
      changed();
      return answer(message, messages.length);
    },
    admits: () => Promise.resolve(admitted),
    press: () => Promise.reject(new Error("E-mail has no buttons.")),
    edited: () => Promise.reject(new Error("E-mail is not changed.")),
    reacted: () => Promise.reject(new Error("E-mail has no reactions.")),
    removed: () => Promise.reject(new Error("E-mail is not taken back.")),
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
  return {
    channel,
    messages,
    changes,
    received: (count) => until(() => messages.length >= count),
    // The second sign of life: the mailbox was read after the login.
    up: () => until(() => changes.some(({ state }) => state === "up") && changes.some(({ alive }) => alive === true)),
    stop,
    ended,
  };
}
