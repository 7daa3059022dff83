// The channel as the program has it, with a folder of its own, in front of a Discord on this machine.
import type { Channel } from "@margay/core";
import type { ChannelHost, OutboundPiece } from "@margay/core/plugin";
import type { APIUser } from "discord-api-types/v10";
import { onTestFinished } from "vitest";
import { keeping, temporary, type TestHost, testHost, textTo } from "../../../packages/core/test/channels/alone.ts";
import { plugin } from "../src/index.ts";
import { type Discord, type DiscordOptions, startDiscord } from "./emulator/discord.ts";

export { ACCEPTED, failure, never, run, textsOf } from "../../../packages/core/test/channels/alone.ts";

export const SENDING = "POST /channels/:channel/messages";

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
  const folder = temporary("discord");
  const again = (): Process => {
    const host = testHost("discord", folder);
    const settings = {
      token: discord.token,
      baseUrl: discord.url,
      ...(guilds !== undefined && { guilds: [...guilds] }),
    };
    return {
      host,
      channel: keeping(plugin.create({ id: "discord", settings }, host), host),
      until: host.until,
      settled: () => host.until(() => host.told.up.length > 0 && seqOf(host) >= discord.gateway.seq()),
    };
  };
  return { discord, anna, dm: discord.dm(anna), folder, again, ...again() };
}

/** How far the channel says that it has come. */
export function seqOf({ state }: ChannelHost): number {
  const cursor = state.cursor() as { readonly seq?: number } | undefined; // it is an object
  return cursor?.seq ?? 0;
}

export function outbound(
  chat: { readonly id: string },
  text: string,
  more: Partial<OutboundPiece> = {},
): OutboundPiece {
  return textTo({ channel: "discord", chat: chat.id }, text, more);
}

/** A file as people attach it. */
export function upload(
  name: string,
  bytes: Uint8Array | string,
  type = "text/plain",
): { name: string; type: string; bytes: Buffer } {
  return { name, type, bytes: Buffer.from(bytes) };
}
