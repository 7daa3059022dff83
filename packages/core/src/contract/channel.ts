import type { Clock, Json, Logger, Millis } from "./base.ts";
import type { Accepted, ChannelInbox, InboundMessage, OutboundMessage } from "./bus.ts";
import type { AnswerButton, ChannelFaultKind } from "./record.ts";
import type { Address, MediaPart, ModelRef, SentFile, Usage } from "./message.ts";

/** How a platform wants text: what the model writes is printed in it. `markdown`: as it is written. */
export type Dialect = "plain" | "markdown" | "telegram-html" | "html" | "xep0393" | "mrkdwn" | "feishu-card";

/** At most so many messages in any such time. */
export interface Rate {
  readonly count: number;
  readonly perMs: Millis;
}

/** What a platform can do. Absent: it cannot. */
export interface ChannelCan {
  /**
   * How a second identical send is known. `key`: the platform takes one and shows one message. `lookup`: what was sent can be
   * found again. `no`: a send without an answer may be shown twice.
   */
  readonly once: "key" | "lookup" | "no";
  /** How long the platform knows a key; after it, `key` is `no`. Absent: for good. */
  readonly onceMs?: Millis;
  readonly text: {
    readonly dialect: Dialect;
    /** Of one message, at least 1; `Infinity` where there is no limit. */
    readonly max: number;
    /** What is counted. Default: UTF-16 units. */
    readonly unit?: "utf16" | "codepoint" | "grapheme" | "byte";
    /** Of which text: as it is sent, or without its markup. Default: as it is sent. */
    readonly after?: "rendered" | "parsed";
  };
  /** Files travel with the last piece of a reply; of each at most so many bytes. */
  readonly media?: { readonly maxBytes: number };
  /** A file that comes in is at most so long. Absent, and at most: 25 MB. */ readonly maxFileBytes?: number;
  /** Media types that it shows as a voice note, the best first. Absent: audio is a file. */
  readonly voice?: readonly string[];
  readonly edit?: true;
  /** A running answer is shown by edits of one message, at least so far apart. Absent: it comes when it is done. */
  readonly live?: { readonly everyMs: Millis; readonly inGroups?: true };
  /** What the platform allows, which is kept to: in all, in each chat, in a group; and how many sends at once. */
  readonly rate?: { readonly channel?: Rate; readonly chat?: Rate; readonly group?: Rate; readonly concurrency?: number };
  /** A message is shown as the answer to another one: pieces have a `quote`. */ readonly quote?: true;
  /** `actions` are drawn, and each press comes back to `inbox.press`. */ readonly buttons?: true;
  /** The model is told of reactions to what we said. */ readonly reactions?: "tell";
  /** What one person writes within that time of their last line is answered with it. Absent: each line at once. */ readonly burstMs?: Millis;
  /** Words beside the answer are not for it: what it is doing, and that it takes long. */ readonly progress?: false;
  /** How long one signal of `typing` is shown. Absent: there is none. */ readonly typingMs?: Millis;
  /** It has `react`; and what it is to set while an answer is made, where `typing` shows nothing. */ readonly react?: true;
  readonly ack?: string;
  /** Replies leave within that time after a message of their chat, at most `uses` for each; those that nobody asked for: at any time, or not at all. */
  readonly window?: { readonly ms: Millis; readonly uses?: number; readonly unsolicited: boolean };
  /** No sign of life for so long: the connection is dead, and is made anew. */
  readonly silenceMs?: Millis;
}

/** One message on the platform: a reply, or a piece of a long one. `reply` is its key: equal for equal pieces. */
export interface OutboundPiece extends OutboundMessage {
  /** It may have left before. */
  readonly repeated?: true;
  /** Of the message that it answers, or the newest one of its chat: `InboundMessage.handle.data`. */
  readonly handle?: Json;
  /** Key of the message that it is shown to answer, whose `handle` it has. When that is gone it is sent without, and nothing failed. */
  readonly quote?: string;
  /** Its text in the dialect of the platform, and without any markup. Absent: `parts` hold it as it was written. */
  readonly rendered?: { readonly text: string; readonly plain: string };
  /** Of a running answer: it is going to be edited, to anything that a reply can be. An edit without it is the last one. */
  readonly live?: true;
  /** Buttons below it, where the channel has them. */
  readonly actions?: readonly Pick<AnswerButton, "token" | "label" | "style">[];
}

/** A running answer that is no message: it goes by itself soon after its last update, and when a message of ours comes. */
export type LiveStream = { /** It goes when nothing was said for longer. */ readonly keepMs: Millis; update(piece: OutboundPiece, signal: AbortSignal): Promise<void> };

export interface Channel {
  readonly id: string;
  readonly can: ChannelCan;
  /** Switched off for now: replies wait. Absent: never. */
  isOff?(): boolean;
  /** What becomes of a piece that may have left, where nobody can tell: a person is asked, or (default) it is sent again. */
  readonly uncertain?: "again" | "ask";
  /** Receives until aborted. What throws, and what returns before, is run again after a while; wrong settings are not. */
  run(inbox: ChannelInbox, signal: AbortSignal): Promise<void>;
  /**
   * @returns the platform's message id when it has one. At least once: the same `reply` may be sent again after a crash.
   * @throws ChannelFault to say whether it is tried again, and when. What else is thrown is a bug: after three attempts
   * the reply is set aside.
   */
  send(piece: OutboundPiece, signal: AbortSignal): Promise<string | undefined>;
  /**
   * Whether a piece that may have left did. Asked where `can.once` is `lookup`, before it is sent again.
   * @param since When the reply was queued.
   * @returns `not-sent`; `sent` with its id; undefined: the platform cannot say.
   */
  findSent?(piece: OutboundPiece, since: Millis, signal: AbortSignal): Promise<{ readonly status: "sent"; readonly id?: string } | { readonly status: "not-sent" } | undefined>;
  /** In place of what was sent under that id: without `actions` its buttons go. */
  edit?(platformId: string, piece: OutboundPiece, signal: AbortSignal): Promise<void>;
  /** A message of ours goes for good. One that is gone is no error. */
  remove?(platformId: string, to: Address, signal: AbortSignal): Promise<void>;
  /** Shows the beginning of a running answer, where the platform has something that leaves nothing behind. @returns undefined: there it is a message, and edited. */
  openStream?(first: OutboundPiece, signal: AbortSignal): Promise<LiveStream | undefined>;
  /** Bytes of a file of a message, by its `locator`. @throws a fault: one that a later attempt cures is tried again, another is told to the model. */
  fetchMedia?(file: Pick<SentFile, "locator" | "mediaType">, signal: AbortSignal): Promise<AsyncIterable<Uint8Array>>;
  /** What people call somebody, or a chat: asked after the commit, and kept for a day. @returns undefined: they have no name. What it throws is for the log: it is asked again later. */
  nameOf?(id: string, kind: "person" | "chat", signal: AbortSignal): Promise<string | undefined>;
  /** Once; it is called again while it goes on. @throws anything where it shows nothing: `can.ack` stands for it. */
  typing?(to: Address, signal: AbortSignal): Promise<void>;
  /** A reaction of ours below a message of somebody, or none any more. What is there, or is gone, is no error. @param of its key @throws a fault: nothing is tried again. */
  react?(of: string, emoji: string, isOn: boolean, to: Address, signal: AbortSignal): Promise<void>;
  /** The platform offers these to who begins a message with `/`, in place of those before. Called while it runs, for each other list once. @throws anything: again when it is `up` again. */
  commands?(list: readonly CommandInfo[], signal: AbortSignal): Promise<void>;
}

/** A slash command: `/name`, or with `words` also `/name words`. */
export type CommandInfo = { readonly name: string; readonly description: Readonly<Record<"en" | "zh-CN", string>>; readonly words?: true };

/** Channels that may become more while the agent runs. */
export interface ChannelSet {
  list(): readonly Channel[];
  get(id: string): Channel | undefined;
  /** Told of each one that comes later. @returns the function that ends it. */
  follow(added: (channel: Channel) => void): () => void;
}

export interface FaultOptions {
  readonly cause?: unknown;
  /** Default "maybe": who does not know must not say "no". */
  readonly sent?: "no" | "maybe";
  /** The platform itself refused this piece, and not something on the way to it. */
  readonly answered?: boolean;
  /** What holds for `slow-down`: this chat alone, or all of the channel. */
  readonly scope?: "chat" | "channel";
  readonly retryAfterMs?: Millis;
}

/** What a channel keeps beside the journals, in a folder of its own: gone when the channel is removed. */
export interface ChannelState {
  /** How far the platform's stream was read. Undefined at the first start. */
  cursor(): Json | undefined;
  /** After everything up to it was accepted. Resolves when it is on disk. */
  setCursor(cursor: Json): Promise<void>;
  /** @param name `[a-z0-9-]`, at most 80 of them. */
  value(name: string): Json | undefined;
  /** @param value At most 64 KiB as JSON; undefined removes it. */
  setValue(name: string, value: Json | undefined): Promise<void>;
  /** Forgets values that were set before. @returns how many. */
  forget(prefix: string, before: Millis): Promise<number>;
}

/** An address of ours that the platform calls. */
export interface ChannelHook {
  /** Of a body at most; default 1 MiB, never more than 25. */
  readonly maxBytes?: number;
  /** What shows that the platform wrote these bytes: the host compares the two. Undefined: nothing does, and nothing is read. */
  proof(headers: Headers, body: Uint8Array): { readonly given: string; readonly expected: string; readonly signedAt?: Millis } | undefined;
  /** Only what is proven. @returns the answer, sent with 200. What it throws was not taken: the platform calls again. */
  handle(headers: Headers, body: Uint8Array): Promise<Json | undefined>;
}

export interface SpokenPlace {
  readonly id: string;
  readonly chat: string;
  readonly at: Millis;
}

/** How a platform is asked what was missed. `places`: chats, and threads below them, with when they were last spoken in. `missed`: not older than `since`, oldest first. `take`: one of them; a thread that it begins is asked too. */
export interface Backfill<Place extends SpokenPlace, Said> {
  places(): Iterable<Place>;
  take(said: Said, place: Place): Promise<Place | undefined>;
  missed(place: Place, limits: { readonly since: Millis; readonly most: number }, signal: AbortSignal): Promise<{ readonly said: readonly Said[]; readonly isCut?: boolean } | "gone" | "closed">;
}

/** What happens in one chat happens in its order, behind what was missed there; a slow chat holds up no other. Behind what failed nothing is done. */
export type ChatLanes = { run(chat: string, act: () => Promise<void>): Promise<void>; catchUp(): Promise<void>; over(): Promise<void> };

/** `read`: what a call tells, or its answer where there is nothing to take. */
export interface CalledHook<Told> extends Omit<ChannelHook, "handle"> {
  read(headers: Headers, body: Uint8Array): { readonly told: Told } | { readonly answer: Json | undefined };
}
/** `taken` answers the call: the platform calls again for what was not. @throws the reason of the signal. */
export interface ToldByCalls<Told> extends Disposable {
  next(): Promise<{ readonly told: Told; taken(answer?: Json): void }>;
}

/** margay's side of a channel plugin: all that it needs, handed in. */
export interface ChannelHost {
  readonly clock: Clock;
  readonly log: Logger;
  readonly state: ChannelState;
  readonly media: {
    /** Of a file that comes in. */ readonly maxBytes: number;
    /** Keeps bytes that came in, or that come. @param about `mediaType`: as the platform says it; what the bytes are wins. @throws what the stream throws. */
    save(bytes: Uint8Array | AsyncIterable<Uint8Array>, about: { readonly name?: string; readonly mediaType?: string }): Promise<MediaPart>;
    /** Of a file that goes out. It is on the disk until somebody reads it, and each `stream()` begins anew: give the Blob itself to a form or a body. */
    open(part: MediaPart): Promise<Blob>;
  };
  /**
   * One request, and its whole answer. No redirect is followed: it would take a token elsewhere.
   * @param more `ms`: until all of it is there. `heard`: called for each part of it.
   * @returns `failed`: why there is no whole answer; `sent`: whether what was asked for may have been done. @throws the reason of the signal.
   */
  request(
    url: string | URL,
    init: RequestInit,
    more: { readonly ms: Millis; readonly maxBytes: number; readonly signal: AbortSignal; readonly heard?: () => void },
  ): Promise<Response | { readonly failed: string; readonly sent: "no" | "maybe"; readonly cause?: unknown }>;
  /** What `fetchMedia` returns: from `fileHosts` of the manifest or the host of `baseUrl`, without redirects; a page only where `mediaType` says so. `refusal` reads an answer that is no file. @throws a fault, in words for the model; the reason of the signal. */
  download(
    url: string | URL,
    more: { readonly headers?: Readonly<Record<string, string>>; readonly mediaType?: string | undefined; readonly signal: AbortSignal; refusal?(answer: Response): Promise<Error | undefined> },
  ): Promise<AsyncIterable<Uint8Array>>;
  /**
   * What becomes of a refused message: it waits on its platform (`where`), or its sender is told in private. That `say` fails is said in the log.
   * @throws a fault: it is to be offered again; the reason of the signal.
   */
  refused(
    accepted: Extract<Accepted, { readonly status: "refused" }>,
    more: { readonly chat: InboundMessage["chat"]; readonly where: string; readonly say: (text: string) => Promise<unknown>; readonly signal: AbortSignal },
  ): Promise<void>;
  /** From now on the platform may call `/hooks/channel/{id}/{path}` of the gateway. @throws a fault `config`: there is none. */
  http(path: string, hook: ChannelHook): Disposable;
  /** As `http`, where what is told is taken one after the other, as from a socket. */
  calls<Told>(path: string, hook: CalledHook<Told>, signal: AbortSignal): ToldByCalls<Told>;
  /** The error to throw. `message` reads `what happened. what to do.` */
  fault(kind: ChannelFaultKind, message: string, options?: FaultOptions): Error;
  /** A frame of the platform came: the connection lives. */
  alive(): void;
  /** The platform has said that all is well. @param account Who we are there. */
  up(account?: string): void;
  /** Of one connection. `failed` is told what ends it; `catchUp` asks all places, after a connection that could not be taken up again. */
  lanes<Place extends SpokenPlace, Said>(backfill: Backfill<Place, Said>, failed: (error: unknown) => void, signal: AbortSignal): ChatLanes;
  /** How much of what is said while nobody listens can be had later, where that is not all of it. */
  history(kept: "part" | "none"): void;
  /** A part of it does not work, and the rest does, until it is `up` again. `reason` reads `what happened. what to do.` */
  degraded(reason: string): void;
  /** Kept aside for a person to look at, as nobody could read it: the stream goes on. */
  deadLetter(frame: string | Uint8Array, error: unknown): void;
}

/** How one channel of the configuration is reached. A plugin reads no configuration and no environment. */
export interface ChannelOptions {
  /** `channels.ID`. */
  readonly id: string;
  /** `token`, `secret`, `baseUrl` and the entries of `options` that are set: as the manifest's schema has them. */
  readonly settings: Readonly<Record<string, Json>>;
}

/**
 * What a person is shown who logs in. `qr`, `code`: in place of the one before; at `expiresAt` another one has come, or the login has
 * failed. `scanned`: the rest is done on the phone. `done`: the last step, with the settings to keep, secrets among them.
 */
export type LoginStep =
  | { readonly type: "qr"; readonly data: string; readonly expiresAt: Millis }
  | { readonly type: "code"; readonly code: string; readonly url?: string; readonly expiresAt: Millis }
  | { readonly type: "scanned" }
  | { readonly type: "done"; readonly account: string; readonly settings: Readonly<Record<string, string>> };

/** What a package exports as `plugin` to add a kind of channel. Its manifest says the rest, and is read without its code. */
export interface ChannelPlugin {
  readonly contract: "channel/1";
  readonly kind: string;
  /** Does no I/O and imports nothing heavy. @throws an error made by the host. */
  create(options: ChannelOptions, host: ChannelHost): Channel;
  /** Tries the settings at the platform. @returns who we are there. @throws what is wrong, and what to do. */
  probe?(options: ChannelOptions, host: ChannelHost, signal: AbortSignal): Promise<string>;
  /** Ends with `done`. @param options As far as they are known. @throws what is wrong, and what to do; the reason of the signal. */
  login?(options: ChannelOptions, host: ChannelHost, signal: AbortSignal): AsyncIterable<LoginStep>;
}

/** Turns a voice note into text. */
export interface Transcriber {
  readonly model: ModelRef;
  /** At most, as far as it is known beforehand. */
  tokens(bytes: Uint8Array): number;
  /** @returns `""`: nothing is said. @throws RuntimeError. */
  transcribe(bytes: Uint8Array, signal: AbortSignal): Promise<{ readonly value: string; readonly usage: Usage }>;
}

/** Reads a reply aloud. */
export interface Speaker {
  /** Absent: a program of this machine, which costs nothing. */
  readonly model?: ModelRef;
  /** At most, as far as it is known beforehand. */
  tokens(text: string): number;
  /**
   * @param kinds Media types that the platform shows as a voice note, the best first; empty: it shows a file.
   * @returns Without `usage`: it costs nothing. @throws RuntimeError.
   */
  speak(text: string, kinds: readonly string[], signal: AbortSignal): Promise<{ readonly part: MediaPart; readonly usage?: Usage }>;
}

/** Voice notes, in and out. Asked when there is one. */
export interface VoiceOptions {
  /** Undefined: no model is set for it. */
  transcriber(): Promise<Transcriber | undefined>;
  /** Undefined: replies are text alone. */
  speaker(): Promise<Speaker | undefined>;
}
