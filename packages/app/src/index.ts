/** The package `margay` as a library: the whole assistant in a program of yours. */
import { RuntimeError } from "@margay/core";
import { loopOver, outboundQueue } from "@margay/core/internal";
import type { Agent, AgentLoop, JsonObject, OutboundMessage } from "@margay/core";
import type { App } from "./app.ts";
import { openApp } from "./embed.ts";
import { runParts } from "./host/run-parts.ts";

export type {
  Agent,
  AgentEvent,
  AgentLoop,
  AgentSettings,
  ContentPart,
  JsonObject,
  OutboundMessage,
  SendOptions,
  Session,
  Turn,
  TurnOutcome,
} from "@margay/core";

export interface OpenAgentOptions {
  /** State directory. Default: `MARGAY_HOME`, else `~/.margay`. One process at a time uses it. */
  readonly home?: string;
  /** In place of `config.json`, with the same schema. A key that is not known is an error. */
  readonly config?: JsonObject;
}

/** The assistant as the program composes it: every tool and service of the configuration. */
export interface OpenedAgent extends AsyncDisposable {
  readonly agent: Agent;
  /** True while no model is configured: answers come from practice mode. */
  readonly practice: boolean;
  /** Replies to the chats of the channel `cli`, those that waited first. @returns the function that ends it. */
  onReply(show: (message: OutboundMessage) => void): () => void;
  /** Channels, jobs, heartbeat and what a crash left open: until aborted. */
  run(signal: AbortSignal): Promise<void>;
}

/** @throws RuntimeError `config.invalid`, `config.unreadable`, `state.locked`, `state.inside-workspace`, `provider.unknown`. */
export async function openAgent(options: OpenAgentOptions = {}): Promise<OpenedAgent> {
  refuseUnknown(options);
  const app = await openApp(options);
  return {
    agent: app.agent,
    get practice() {
      return app.practice;
    },
    onReply: (show) => app.terminal.attach(show),
    run: (signal) => runAll(app, signal),
    [Symbol.asyncDispose]: () => app[Symbol.asyncDispose](),
  };
}

/** The same under the names of the earlier projects. @throws what `openAgent` throws. */
export async function createAgentLoop(options: OpenAgentOptions = {}): Promise<AgentLoop> {
  refuseUnknown(options);
  const outbound = outboundQueue();
  const app = await openApp(options, outbound.channel);
  const loop = loopOver({ agent: app.agent, outbound, ids: app.ids, workspace: app.loaded.workspace });
  const ended = new AbortController();
  // Nobody sits at a terminal here: what goes there is a reply like the others.
  app.terminal.attach((message) => {
    outbound.channel.send(message, ended.signal).catch(() => undefined); // nobody took it before the end
  });
  const stopping = new AbortController();
  let running: Promise<void> | undefined;
  return {
    ...loop,
    run: () => (running ??= runAll(app, stopping.signal)),
    stop: () => stopping.abort(new Error("stop() was called.")),
    [Symbol.asyncDispose]: async () => {
      stopping.abort(new Error("The agent was disposed."));
      await running;
      await app[Symbol.asyncDispose]();
      ended.abort(new Error("The agent was disposed."));
    },
  };
}

function runAll(app: App, signal: AbortSignal): Promise<void> {
  const agent = { name: "agent", run: (ends: AbortSignal) => app.agent.run(ends) };
  return runParts([agent, ...app.schedule.parts], app, signal);
}

/** A key that would do nothing is told to who gave it. */
function refuseUnknown(options: OpenAgentOptions): void {
  const unknown = Object.keys(options).find((name) => name !== "home" && name !== "config");
  if (unknown !== undefined)
    throw new RuntimeError(
      "config.invalid",
      `There is no option ${unknown}. Give home and config; what config.json may hold belongs into config.`,
    );
}
