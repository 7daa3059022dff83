// The channel as the program has it, with a folder of its own, in front of a Telegram on this machine.
import type { Channel, Clock, OutboundMessage } from "@margay/core";
import type { ChannelHost, Json } from "@margay/core/plugin";
import type { Chat, User } from "grammy/types";
import { onTestFinished } from "vitest";
import * as alone from "../../../packages/core/test/channels/alone.ts";
import { plugin } from "../src/index.ts";
import { startTelegram, type Telegram, type TelegramOptions } from "./emulator/telegram.ts";

export { ACCEPTED, failure, never, run, textsOf } from "../../../packages/core/test/channels/alone.ts";

export const temporary = (): string => alone.temporary("telegram");

export function testHost(folder: string, clock?: Clock): alone.TestHost {
  return alone.testHost("telegram", folder, clock);
}

export interface Place {
  readonly telegram: Telegram;
  readonly anna: User;
  readonly chat: Chat.PrivateChat;
  readonly folder: string;
  readonly host: alone.TestHost;
  readonly channel: Channel;
  /** The same bot after the end of the process. */
  again(settings?: Readonly<Record<string, Json>>): { readonly host: alone.TestHost; readonly channel: Channel };
}

/** Anna has pressed Start. What Telegram would not know fails the test in the end. */
export async function place(options: TelegramOptions & { readonly hostClock?: Clock } = {}): Promise<Place> {
  const { hostClock, ...rest } = options;
  const telegram = await startTelegram(rest);
  onTestFinished(() => telegram[Symbol.asyncDispose]());
  const anna = telegram.person("Anna", { last_name: "Moor", username: "anna_m" });
  const folder = temporary();
  const again = (settings: Readonly<Record<string, Json>> = {}): { host: alone.TestHost; channel: Channel } => {
    const host = testHost(folder, hostClock);
    return { host, channel: alone.keeping(channelOf(telegram, host, settings), host) };
  };
  return { telegram, anna, chat: telegram.privateChat(anna), folder, again, ...again() };
}

export function channelOf(
  { token, url }: Pick<Telegram, "token" | "url">,
  host: ChannelHost,
  settings: Readonly<Record<string, Json>> = {},
): Channel {
  return plugin.create({ id: "telegram", settings: { token, baseUrl: url, ...settings } }, host);
}

/** Nothing of Telegram waits for us any more. */
export async function allTaken({ telegram }: Pick<Place, "telegram">): Promise<void> {
  await telegram.until(() => telegram.pendingUpdates().length === 0 && telegram.isPolling());
}

export function outbound(chat: number | string, text: string, more: Partial<OutboundMessage> = {}): OutboundMessage {
  return alone.textTo({ channel: "telegram", chat: String(chat) }, text, more);
}

export const PNG: Buffer = Buffer.concat([Buffer.from([0x89, 0x50, 0x4e, 0x47, 13, 10, 26, 10]), Buffer.alloc(64, 1)]);
/** How a voice note begins: an Ogg page with the header of Opus. */
export const OPUS: Buffer = Buffer.concat([
  Buffer.from("OggS"),
  Buffer.alloc(24),
  Buffer.from("OpusHead"),
  Buffer.alloc(40, 1),
]);
