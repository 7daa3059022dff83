// The channel as the program has it, with a folder of its own, in front of a Feishu on this machine.
import type { Channel, OutboundMessage } from "@margay/core";
import { systemClock } from "@margay/core/internal";
import type { OutboundPiece, Pressed } from "@margay/core/plugin";
import { onTestFinished } from "vitest";
import * as alone from "../../../packages/core/test/channels/alone.ts";
import { keeping, temporary, type TestHost, testHost, textTo } from "../../../packages/core/test/channels/alone.ts";
import { plugin } from "../src/index.ts";
import { type Feishu, type FeishuOptions, startFeishu } from "./emulator/feishu.ts";
import type { Chat, Person } from "./emulator/world.ts";

export { ACCEPTED, failure, never, textsOf } from "../../../packages/core/test/channels/alone.ts";

export const SENDING = "POST /im/v1/messages";
export const REPLYING = "POST /im/v1/messages/:id/reply";
export const LISTING = "GET /im/v1/messages";

/** How much later it is for the channel. */
interface Time {
  shift: number;
}

export interface Process {
  readonly host: TestHost;
  readonly channel: Channel;
  /** Looked at when the channel keeps or tells something. */
  until(condition: () => boolean): Promise<void>;
  /** It is connected, and what it was told up to now was taken. */
  settled(): Promise<void>;
}

export interface Scene extends Process {
  readonly feishu: Feishu;
  readonly anna: Person;
  /** Anna's private chat. */
  readonly dm: Chat;
  readonly folder: string;
  readonly time: Time;
  /** The same app after the end of the process. */
  again(settings?: Readonly<Record<string, string>>): Process;
}

/** What Feishu would not know fails the test in the end. */
export async function scene(options: FeishuOptions = {}): Promise<Scene> {
  const feishu = await startFeishu(options);
  onTestFinished(() => feishu[Symbol.asyncDispose]());
  const anna = feishu.person("Anna");
  const folder = temporary("feishu");
  const time: Time = { shift: 0 };
  const again = (settings: Readonly<Record<string, string>> = {}): Process => {
    const clock = systemClock();
    const host = testHost("feishu", folder, { ...clock, now: () => clock.now() + time.shift });
    return {
      host,
      channel: keeping(plugin.create({ id: "feishu", settings: { ...feishu.settings, ...settings } }, host), host),
      until: host.until,
      settled: async () => {
        await host.until(() => host.told.up.length > 0);
        await feishu.until(() => feishu.gateway.events.every(({ answer }) => answer !== undefined));
      },
    };
  };
  return { feishu, anna, dm: feishu.dm(anna), folder, time, again, ...again() };
}

export interface Answers {
  /** What becomes of the message with that number, from 1. */
  readonly accept?: Parameters<typeof alone.run>[1];
  readonly press?: () => Pressed | Promise<Pressed>;
}

export function run(channel: Channel, { accept, press }: Answers = {}): alone.Running {
  return alone.run(channel, accept, {
    press: async () => press?.() ?? { status: "done", text: "Allowed." },
  });
}

export function outbound(
  chat: { readonly id: string },
  text: string,
  more: Partial<OutboundPiece> = {},
): OutboundMessage & OutboundPiece {
  return textTo({ channel: "feishu", chat: chat.id }, text, more);
}

/** As the host prints it. */
export function card(chat: { readonly id: string }, text: string, more: Partial<OutboundPiece> = {}): OutboundPiece {
  return outbound(chat, text, { rendered: { text, plain: text }, ...more });
}
