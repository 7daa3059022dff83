/** The seeds' names over a composed agent: thin, no logic of its own (contract, section 21). */
import { OPERATOR } from "../lib/operator.ts";
import type { Agent, TurnOutcome } from "../contract/agent.ts";
import type { Ids, JsonObject } from "../contract/base.ts";
import type { Accepted } from "../contract/bus.ts";
import type { Address, ContentPart, Message } from "../contract/message.ts";
import { RuntimeError } from "../lib/errors/errors.ts";
import type { OutboundQueue, SeedOutbound } from "./outbound-queue.ts";
import type { AgentEvent } from "../contract/event.ts";
import { bySomeKind, type SomeKinds } from "../lib/by-kind.ts";

/** Ids are strings, compared exactly. */
export interface SeedInbound {
  readonly channel: string;
  readonly senderId: string;
  readonly chatId: string;
  readonly content: string;
  readonly media?: readonly string[];
  readonly key?: string;
  readonly thread?: string;
  /** The sender's own: taken with the message and not read. */
  readonly metadata?: JsonObject;
}
export interface PriorMessage {
  readonly role: "user" | "assistant";
  readonly content: string;
}
export interface MessageOptions {
  readonly sessionId?: string;
  /** Earlier messages for a session that has none yet. */
  readonly context?: readonly PriorMessage[];
  /** Paths of files. */
  readonly media?: readonly string[];
  readonly channel?: string;
  readonly chatId?: string;
  readonly signal?: AbortSignal;
}
export interface DirectOptions extends Omit<MessageOptions, "context"> {
  readonly sessionKey?: string;
}

export interface AgentLoop extends AsyncDisposable {
  readonly agent: Agent;
  /**
   * Text as it arrives, all rounds, in order. Leaving the loop stops the turn.
   * @throws RuntimeError when the model fails; `session.not-empty` for `context` on a session with rows.
   */
  processMessage(message: string, options?: MessageOptions): AsyncIterable<string>;
  /** @returns the reply; `""` when there is none. */
  processDirect(content: string, options?: DirectOptions): Promise<string>;
  executeTool(
    name: string,
    args: JsonObject,
    options?: { readonly sessionId?: string; readonly signal?: AbortSignal },
  ): Promise<string>;
  publishInbound(message: SeedInbound): Promise<Accepted>;
  /** The next reply to a chat without a registered channel. */
  consumeOutbound(signal?: AbortSignal): Promise<SeedOutbound>;
  publishOutbound(message: {
    readonly channel: string;
    readonly chatId: string;
    readonly content: string;
  }): Promise<void>;
  /** Until `stop()`: delivers, resumes what a crash left open. */
  run(): Promise<void>;
  stop(): void;
}

export interface LoopParts {
  readonly agent: Agent;
  readonly outbound: OutboundQueue;
  readonly ids: Ids;
  /** Paths and text → parts of a user message. */
  readonly parts: (text: string, media: readonly string[]) => Promise<readonly ContentPart[]>;
}

export function agentLoop(given: LoopParts): AgentLoop {
  const { agent, outbound, ids } = given;
  const stopping = new AbortController();
  let running: Promise<void> | undefined;
  return {
    agent,
    processMessage: (message, options = {}) => processMessage(given, message, options),
    processDirect: async (content, options = {}) => {
      const release = outbound.claim(addressOf(options));
      try {
        const turn = await begin(given, content, options);
        const { text } = await turn.finished;
        await taken(agent, keyOf(options), addressOf(options));
        return text;
      } finally {
        release();
      }
    },
    executeTool: (name, args, { sessionId, signal } = {}) =>
      agent.executeTool(name, args, {
        ...(sessionId !== undefined && { sessionKey: sessionId }),
        ...(signal !== undefined && { signal }),
      }),
    publishInbound: (message) => publishInbound(given, message),
    consumeOutbound: (signal) => outbound.next(signal),
    publishOutbound: (message) =>
      agent.bus.send(`${message.channel}:${message.chatId}`, {
        reply: ids.next("message"),
        to: { channel: message.channel, chat: message.chatId },
        kind: "message",
        parts: [{ type: "text", text: message.content }],
      }),
    run: () => (running ??= agent.run(stopping.signal)),
    stop: () => stopping.abort(new RuntimeError("process.stopping", "stop() was called.")),
    [Symbol.asyncDispose]: async () => {
      stopping.abort(new RuntimeError("process.stopping", "The agent was disposed."));
      await agent[Symbol.asyncDispose]();
    },
  };
}

function keyOf(options: DirectOptions): string {
  return options.sessionKey ?? options.sessionId ?? "cli:direct";
}

function addressOf(options: DirectOptions): Address {
  return { channel: options.channel ?? "cli", chat: options.chatId ?? "direct" };
}

async function begin(
  { agent, parts }: LoopParts,
  content: string,
  options: DirectOptions,
): Promise<ReturnType<Agent["send"]>> {
  const origin = addressOf(options);
  if (origin.channel === "system")
    throw new RuntimeError("inbox.refused", "The channel system belongs to the runtime. Use another channel.");
  return agent.send(keyOf(options), await parts(content, options.media ?? []), {
    origin,
    from: OPERATOR,
    ...(options.signal !== undefined && { signal: options.signal }),
  });
}

async function* processMessage(given: LoopParts, message: string, options: MessageOptions): AsyncGenerator<string> {
  const { agent, outbound, ids } = given;
  const key = keyOf(options);
  if (options.context !== undefined) await seed(agent, key, addressOf(options), options.context, ids);
  const own = new AbortController();
  const signal = options.signal === undefined ? own.signal : AbortSignal.any([own.signal, options.signal]);
  const release = outbound.claim(addressOf(options));
  try {
    const turn = await begin(given, message, { ...options, signal });
    let spoke = false;
    for await (const event of turn) {
      if (signal.aborted) break;
      const text = bySomeKind(SAID, event, spoke) ?? "";
      if (text === "") continue;
      spoke = true;
      yield text;
    }
    if (signal.aborted) return;
    const outcome = await turn.finished;
    await taken(agent, key, addressOf(options));
    raise(outcome);
  } finally {
    own.abort(new RuntimeError("turn.cancelled", "The reader left."));
    release();
  }
}

/** What a reader of the turn gets. */
const SAID: SomeKinds<AgentEvent, [spoke: boolean], string | undefined> = {
  "text.delta": ({ text }) => text,
  "turn.ended": ({ reason, notice }, spoke) => {
    if (reason !== "limit" || notice === undefined) return undefined;
    return spoke ? `\n\n${notice}` : notice;
  },
};

/** Resolves when the reply to a claimed address is marked delivered: the caller holds it. */
async function taken(agent: Agent, key: string, to: Address): Promise<void> {
  const session = await agent.sessions.find(key);
  const queued = (): boolean =>
    session?.state.outbox.some((item) => item.to.channel === to.channel && item.to.chat === to.chat) ?? false;
  if (session === undefined || !queued()) return;
  await new Promise<void>((resolve) => {
    const done = (): void => {
      end();
      resolve();
    };
    const ends: SomeKinds<AgentEvent, [], void> = {
      "reply.failed": done,
      "reply.delivered": () => {
        if (!queued()) done();
      },
    };
    const end = session.subscribe((event) => bySomeKind(ends, event), done);
  });
}

async function publishInbound({ agent, ids, parts }: LoopParts, message: SeedInbound): Promise<Accepted> {
  const { channel, senderId, chatId, thread } = message;
  for (const [name, value] of Object.entries({ channel, senderId, chatId }))
    if (typeof value !== "string") return { status: "refused", reason: `${name} must be a string.` };
  const system = channel === "system";
  const origin = system ? split(chatId) : { channel, chat: chatId, ...(thread !== undefined && { thread }) };
  if (origin === undefined)
    return { status: "refused", reason: 'chatId of the channel system must read "channel:chat".' };
  return agent.bus.accept({
    key: message.key ?? ids.next("key"),
    origin,
    from: { id: senderId, kind: system ? "agent" : "person" },
    parts: await parts(message.content, message.media ?? []),
  });
}

function raise(outcome: TurnOutcome): void {
  if (outcome.reason !== "failed" || outcome.error === undefined) return;
  throw new RuntimeError(outcome.error.code as RuntimeError["code"], outcome.error.message, {
    retryable: outcome.error.retryable,
  }); // codes in records come from the table
}

/** `original_channel:original_chat_id`, split at the first colon: chat ids may hold colons. */
function split(chatId: string): Address | undefined {
  const at = chatId.indexOf(":");
  return at < 0 ? undefined : { channel: chatId.slice(0, at), chat: chatId.slice(at + 1) };
}

/** Prior messages become imported rows of a session that has none. */
async function seed(
  agent: Agent,
  key: string,
  origin: Address,
  context: readonly PriorMessage[],
  ids: Ids,
): Promise<void> {
  const session = await agent.sessions.open(key, origin);
  if (session.state.rows > 0 || session.state.pending.length > 0)
    throw new RuntimeError(
      "session.not-empty",
      `The session ${key} has messages already. Use another key for given context.`,
    );
  const at = session.state.createdAt;
  const messages = context.map((item): Message => {
    const parts = [{ type: "text", text: item.content } as const];
    if (item.role === "user") return { role: "user", id: ids.next("m"), at, from: OPERATOR, parts };
    return {
      role: "assistant",
      at,
      model: { provider: "imported", model: "imported" },
      parts,
      finish: "stop",
      usage: { input: 0, output: 0, cacheRead: 0, cacheWrite: 0 },
    };
  });
  await session.commit({ type: "history.imported", messages, rows: messages.length, consolidated: 0 });
}
