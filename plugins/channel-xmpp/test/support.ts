/** The real channel against the real server, with all that margay hands to it. */
import type { Clock, Json } from "@margay/core";
import type { Accepted } from "@margay/core/internal";
import type { Channel, InboundMessage, OutboundPiece } from "@margay/core/plugin";
import { onTestFinished } from "vitest";
import * as alone from "../../../packages/core/test/channels/alone.ts";
import { plugin } from "../src/index.ts";
import { startXmppServer, type XmppServer, type XmppServerOptions } from "./peer.ts";
import { DOMAIN, PASSWORD } from "./person.ts";

export const BOT = `bot@${DOMAIN}`;

export const temporary = (): string => alone.temporary("xmpp");

export const hostIn = (folder: string, clock?: Clock): alone.TestHost => alone.testHost("xmpp", folder, clock);

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

export interface Running extends alone.Running {
  readonly channel: Channel;
  readonly host: alone.TestHost;
  /** Resolves when it was up so often: connected, and what was there is read. Rejects when it ends before. */
  up(times?: number): Promise<unknown>;
}

export interface StartOptions {
  readonly more?: Readonly<Record<string, Json>>;
  readonly clock?: Clock;
  readonly answer?: (message: InboundMessage, count: number) => Promise<Accepted>;
}

export function texts({ messages }: Running): readonly string[] {
  return messages.map(({ parts }) => parts.map((part) => (part.type === "text" ? part.text : part.type)).join("|"));
}

export function start(server: XmppServer, folder: string, { more = {}, clock, answer }: StartOptions = {}): Running {
  const host = hostIn(folder, clock);
  const channel = plugin.create({ id: "xmpp", settings: settings(server, more) }, host);
  const running = alone.run(channel, answer);
  const up = (times = 1): Promise<unknown> =>
    Promise.race([host.until(() => host.told.up.length >= times), running.received(Infinity)]);
  return { ...running, channel, host, up };
}
