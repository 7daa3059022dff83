// A channel without a platform: it keeps what is sent, fails when told, and lets a test write as a person.

import { textOf } from "../lib/text.ts";
import type {
  Accepted,
  ChannelInbox,
  Control,
  Edited,
  InboundMessage,
  OutboundMessage,
  Pressed,
} from "../contract/bus.ts";
import type { Json } from "../contract/base.ts";
import type { Channel, OutboundPiece } from "../contract/channel.ts";
import type { Address, ContentPart, ReplyHandle, Sender } from "../contract/message.ts";
import { untilAborted } from "../lib/async/abort.ts";
import { ChannelFault } from "../lib/errors/channel-fault.ts";

export interface RecordingChannel extends Channel {
  /** What arrived, in order; a reply that was sent twice is here twice. */
  readonly sent: readonly OutboundPiece[];
  readonly edits: readonly { readonly platformId: string; readonly message: OutboundPiece }[];
  /** Ids of what was taken away. */
  readonly removed: readonly string[];
  /** What a person sees in the end: edits in their place, without what was taken away. */
  seen(): readonly string[];
  /** Chats that were shown as typing. */
  readonly typed: readonly Address[];
  /** Reactions of ours, each as it was set and taken away. */
  readonly reacted: readonly {
    readonly of: string;
    readonly emoji: string;
    readonly isOn: boolean;
    readonly to: Address;
  }[];
  /** Locators of files, each time that it was asked for one: its bytes are the words of the locator. */
  readonly fetched: readonly Json[];
  /** Calls of `send`, failed ones included. */
  readonly attempts: readonly OutboundPiece[];
  /** The texts of `sent`, optionally of one kind. */
  texts(kind?: OutboundMessage["kind"]): readonly string[];
  /** The next `count` sends throw; by default what a later attempt may cure. */
  failNext(count: number, error?: Error): void;
  /** Resolves when that many messages have arrived. */
  received(count: number): Promise<void>;
  /** Resolves when `send` was called that often. */
  attempted(count: number): Promise<void>;
  /** A person writes. Waits for `run` when the channel does not run yet. */
  deliver(text: string | readonly ContentPart[], options?: Deliver): Promise<Accepted>;
  /** A person changes what they wrote. @param of its key */
  change(
    of: string,
    text: string | readonly ContentPart[],
    options?: Deliver & Pick<Edited, "media">,
  ): ReturnType<ChannelInbox["edited"]>;
  /** It is taken back. @param of its key */
  erase(of: string, options?: Pick<Deliver, "chat" | "thread" | "from">): ReturnType<ChannelInbox["removed"]>;
  /** A person reacts. @param of the id of the message, as `send` gave it */
  reactTo(
    of: string,
    emoji?: string,
    options?: Pick<Deliver, "chat" | "thread" | "from">,
  ): ReturnType<ChannelInbox["reacted"]>;
  /** What was sent did not arrive, as the platform says later. */
  lose(piece: Pick<OutboundPiece, "reply" | "to">, reason: string): ReturnType<ChannelInbox["undelivered"]>;
  /** A person presses a button. */
  press(token: string, options?: Pick<Deliver, "key" | "chat" | "thread" | "from">): Promise<Pressed>;
}
export interface Deliver extends Partial<
  Pick<InboundMessage, "addressed" | "files" | "quotes" | "sentAt" | "unnamed">
> {
  /** Default: a number that counts up. */
  readonly key?: string;
  readonly chat?: string;
  readonly thread?: string;
  readonly from?: Sender;
  readonly control?: Control;
  readonly attended?: boolean;
  /** The chat is one of many. */
  readonly group?: true;
  readonly handle?: ReplyHandle;
}

const PERSON: Sender = { id: "person", kind: "person" };

/** @param can What the platform can do; by default texts of 4,096 characters and nothing else. */
export function recordingChannel(id: string, can: Partial<Channel["can"]> = {}): RecordingChannel {
  const sent: OutboundPiece[] = [];
  const attempts: OutboundPiece[] = [];
  const edits: { readonly platformId: string; readonly message: OutboundPiece }[] = [];
  const removed: string[] = [];
  const messages = new Map<string, OutboundPiece>();
  const failures: Error[] = [];
  const { reached, changed } = watched();
  let running = Promise.withResolvers<ChannelInbox>();
  let written = 0;
  return {
    id,
    can: { once: "no", text: { dialect: "markdown", max: 4096 }, ...can },
    ...{ sent, edits, removed },
    seen: () => [...messages.values()].map(({ parts }) => textOf(parts)),
    ...signsThere(),
    ...filesThere(),
    attempts,
    texts: (kind) => sent.filter((one) => kind === undefined || one.kind === kind).map(({ parts }) => textOf(parts)),
    failNext(count, error = new ChannelFault("again", `The channel ${id} was told to fail.`)) {
      for (let left = count; left > 0; left--) failures.push(error);
    },
    received: (count) => reached(sent, count),
    attempted: (count) => reached(attempts, count),
    deliver: async (text, options) => (await running.promise).accept(messageOf(id, String(++written), text, options)),
    change: async (of, text, { media, ...options } = {}) => {
      const message = messageOf(id, String(++written), text, options);
      return (await running.promise).edited({ ...message, edits: of, ...(media !== undefined && { media }) });
    },
    async erase(of, { chat = "1", thread, from } = {}) {
      const origin = { channel: id, chat, ...(thread !== undefined && { thread }) };
      return (await running.promise).removed({ of, origin, ...(from !== undefined && { from }) });
    },
    async reactTo(of, emoji, { chat = "1", thread, from = PERSON } = {}) {
      const origin = { channel: id, chat, ...(thread !== undefined && { thread }) };
      return (await running.promise).reacted({ of, origin, from, ...(emoji !== undefined && { emoji }) });
    },
    lose: async (piece, reason) => (await running.promise).undelivered({ ...piece, reason }),
    async press(token, { key = String(++written), chat = "1", thread, from = PERSON } = {}) {
      const inbox = await running.promise;
      const origin = { channel: id, chat, ...(thread !== undefined && { thread }) };
      return inbox.press({ key, token, from, origin });
    },
    async run(inbox, signal) {
      running.resolve(inbox);
      await untilAborted(signal);
      running = Promise.withResolvers<ChannelInbox>();
    },
    // oxlint-disable-next-line require-await -- the contract is asynchronous, memory is not
    async send(message, signal) {
      signal.throwIfAborted();
      attempts.push(message);
      const failure = failures.shift();
      if (failure === undefined) sent.push(message);
      changed();
      if (failure !== undefined) throw failure;
      const platformId = `platform-${sent.length}`;
      messages.set(platformId, message);
      return platformId;
    },
    edit(platformId, message) {
      edits.push({ platformId, message });
      messages.set(platformId, message);
      changed();
      return Promise.resolve();
    },
    remove(platformId) {
      removed.push(platformId);
      messages.delete(platformId);
      changed();
      return Promise.resolve();
    },
  };
}

function messageOf(
  channel: string,
  number: string,
  text: string | readonly ContentPart[],
  { key = number, chat = "1", thread, from = PERSON, group, ...rest }: Deliver = {},
): InboundMessage {
  return {
    key,
    origin: { channel, chat, ...(thread !== undefined && { thread }) },
    from,
    parts: typeof text === "string" ? [{ type: "text", text }] : text,
    ...(group === true && { chat: "group" }),
    ...rest,
  };
}

function signsThere(): Pick<RecordingChannel, "typed" | "typing" | "reacted" | "react"> {
  const typed: Address[] = [];
  const reacted: RecordingChannel["reacted"][number][] = [];
  return {
    typed,
    reacted,
    typing(to) {
      typed.push(to);
      return Promise.resolve();
    },
    react(of, emoji, isOn, to) {
      reacted.push({ of, emoji, isOn, to });
      return Promise.resolve();
    },
  };
}

function filesThere(): Pick<RecordingChannel, "fetched" | "fetchMedia"> {
  const fetched: Json[] = [];
  return {
    fetched,
    fetchMedia: ({ locator }) => {
      fetched.push(locator);
      return Promise.resolve(wordsOf(locator));
    },
  };
}

async function* wordsOf(locator: Json): AsyncGenerator<Uint8Array> {
  yield Buffer.from(String(locator));
  await Promise.resolve();
}

/** Waiting until a list is long enough. */
function watched() {
  const watchers = new Set<() => void>();
  return {
    changed: (): void => {
      for (const watcher of watchers) watcher();
    },
    reached: (values: readonly unknown[], count: number): Promise<void> =>
      new Promise((resolve) => {
        const check = (): void => {
          if (values.length < count) return;
          watchers.delete(check);
          resolve();
        };
        watchers.add(check);
        check();
      }),
  };
}
