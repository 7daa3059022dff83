// A chat with people who write commands: an operator, and a guest who is none.
import type { Agent, AgentOptions, Sender } from "../../src/index.ts";
import type { Accepted } from "../../src/internal.ts";
import { recordingChannel } from "../../src/testing.ts";
import { type RecordingChannel } from "../../src/internal-testing.ts";
import { until } from "../schedule/support.ts";
import { startAgent, type Started } from "./agent.ts";

export const OWNER: Sender = { id: "owner", kind: "person" };
export const GUEST: Sender = { id: "guest", kind: "person" };

export interface Scene extends Started {
  readonly channel: RecordingChannel;
  /** Writes as a person. @returns the answer of a command. */
  says(text: string, from?: Sender, chat?: string): Promise<string | undefined>;
}

export async function scene(t: Parameters<typeof startAgent>[0], options: Partial<AgentOptions> = {}): Promise<Scene> {
  const channel = recordingChannel("test");
  const started = await startAgent(t, {
    channels: [channel],
    mayApprove: (by) => by.id === OWNER.id,
    ...options,
  });
  return {
    ...started,
    channel,
    says: async (text, from = OWNER, chat = "1") => {
      const before = channel.texts("command").length;
      await write(started.agent, text, from, chat);
      if (text.startsWith("/")) await until(() => Promise.resolve(channel.texts("command").length > before));
      return channel.texts("command").at(-1);
    },
  };
}

let written = 0;
export function write(agent: Agent, text: string, from: Sender, chat = "1"): Promise<Accepted> {
  return agent.bus.accept({
    key: `k${++written}`,
    origin: { channel: "test", chat },
    from,
    parts: [{ type: "text", text }],
  });
}
