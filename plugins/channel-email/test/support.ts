/** The real channel against the real mail server, with all that margay hands to it. */
import type { Json } from "@margay/core";
import type { Accepted } from "@margay/core/internal";
import type { Channel, InboundMessage } from "@margay/core/plugin";
import { onTestFinished } from "vitest";
import * as alone from "../../../packages/core/test/channels/alone.ts";
import { plugin } from "../src/index.ts";
import { type MailServer, type MailServerOptions, startMailServer } from "./peer.ts";

export const temporary = (): string => alone.temporary("email");

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

export interface Running extends alone.Running {
  readonly channel: Channel;
  /** Resolves when it is connected and has read what was there. Rejects when it ends before. */
  up(): Promise<unknown>;
}

export function start(
  server: MailServer,
  folder: string,
  {
    more = {},
    answer,
    admitted = true,
    maxBytes,
  }: {
    /** Of a file that comes in. */
    readonly maxBytes?: number;
    readonly admitted?: boolean;
    readonly more?: Readonly<Record<string, Json>>;
    readonly answer?: (message: InboundMessage, count: number) => Promise<Accepted>;
  } = {},
): Running {
  const host = alone.testHost("mail", folder);
  const limited = { ...host, media: { ...host.media, ...(maxBytes !== undefined && { maxBytes }) } };
  const channel = plugin.create({ id: "mail", settings: settings(server, more) }, limited);
  const running = alone.run(channel, answer, { admits: () => Promise.resolve(admitted) });
  // The second sign of life: the mailbox was read after the login.
  const isUp = (): boolean => host.told.up.length > 0 && host.told.alive > 0;
  return { ...running, channel, up: () => Promise.race([host.until(isUp), running.received(Infinity)]) };
}
