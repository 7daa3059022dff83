// Somebody talks with an agent in a chat that shows what it says while it says it.
import type { InboundMessage } from "../../src/contract/bus.ts";
import type { Channel, ChannelCan } from "../../src/contract/channel.ts";
import { recordingChannel, says } from "../../src/testing.ts";
import type { RecordingChannel } from "../../src/internal-testing.ts";
import { type Answer, type Gate } from "../../src/testing/mock-llm/script.ts";
import { startAgent, type Started, type StartOptions } from "../support/agent.ts";

export interface Talk extends Started {
  readonly channel: RecordingChannel;
  say(text: string, more?: Partial<InboundMessage>): Promise<void>;
  /** Lets a piece of the answer through, and waits until it is to be shown. */
  hear(gate: Gate): Promise<void>;
  /** Lets the rest through. */
  end(gate: Gate): Promise<void>;
}

const ORIGIN = { channel: "talk", chat: "1" };
export const LIVE = { edit: true, live: { everyMs: 1200 } } as const;
/** Long enough to be shown at once. */
export const FIRST = "The first sentence, which is long enough. ";

export async function talk(
  t: Parameters<typeof startAgent>[0],
  options: StartOptions = {},
  can: Partial<ChannelCan> = LIVE,
  change: (channel: RecordingChannel) => Channel = (channel) => channel,
): Promise<Talk> {
  const channel = recordingChannel("talk", can);
  const started = await startAgent(t, { ...options, channels: [change(channel)] });
  return { ...started, ...hand(started, channel) };
}

export function hand(
  { agent, clock }: Started,
  channel: RecordingChannel,
): Pick<Talk, "channel" | "say" | "hear" | "end"> {
  let key = 0;
  return {
    channel,
    say: async (text, more = {}) => {
      key += 1;
      const from = { id: "ann", kind: "person" } as const;
      await agent.bus.accept({ key: `${key}`, origin: ORIGIN, from, parts: [{ type: "text", text }], ...more });
    },
    hear: async (gate) => {
      gate.release();
      const ms = await clock.waitForSleep(0, 2400);
      await clock.advance(ms);
    },
    end: async (gate) => {
      gate.release();
      await agent.idle();
    },
  };
}

/** An answer whose pieces come one by one. */
export function spoken(...pieces: readonly (string | Gate)[]): Answer {
  return { ...says(""), parts: [{ type: "text", pieces }] };
}
export const texts = (channel: RecordingChannel): readonly string[] =>
  channel.edits.map(({ message }) => message.parts.map((part) => (part.type === "text" ? part.text : "")).join(""));
