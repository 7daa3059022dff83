// The channel as the program has it, with a folder of its own, in front of a Slack on this machine.
import type { Channel } from "@margay/core";
import type { OutboundPiece } from "@margay/core/plugin";
import { onTestFinished } from "vitest";
import { keeping, temporary, type TestHost, testHost, textTo } from "../../../packages/core/test/channels/alone.ts";
import { plugin } from "../src/index.ts";
import { type Slack, type SlackOptions, startSlack } from "./emulator/slack.ts";
import type { Channel as Chat, User } from "./emulator/world.ts";

export { ACCEPTED, failure, never, run, textsOf } from "../../../packages/core/test/channels/alone.ts";

export const SENDING = "chat.postMessage";

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
  const folder = temporary("slack");
  const settings = {
    token: slack.tokens.bot ?? "",
    appToken: slack.tokens.app ?? "",
    baseUrl: slack.url,
    ...(replyInThread !== undefined && { replyInThread }),
  };
  const again = (): Process => {
    const host = testHost("slack", folder);
    return {
      host,
      channel: keeping(plugin.create({ id: "slack", settings }, host), host),
      until: host.until,
      up: () => host.until(() => host.told.up.length > 0),
    };
  };
  return { slack, anna, dm: slack.dm(anna), folder, settings, again, ...again() };
}

export function outbound(
  chat: { readonly id: string },
  text: string,
  more: Partial<OutboundPiece> = {},
): OutboundPiece {
  return textTo({ channel: "slack", chat: chat.id }, text, more);
}
