// channel/1 as it was frozen on 29 November 2026 (decision 0057), without its words: packages/core/src/contract/channel.ts has them.
// Never edited. What comes later is in the contract itself, as long as this fits (channel-1.test.ts).
// Ids are opaque: whoever has one hands it back.
import type { CallId, Seq, SessionId } from "../../../src/contract/base.ts";

type Json =
  | null
  | boolean
  | number
  | string
  | readonly Json[]
  | {
      readonly [key: string]: Json;
    };
type JsonObject = {
  readonly [key: string]: Json;
};
type Millis = number;
interface Clock {
  now(): Millis;
  monotonic(): number;
  sleep(ms: number, signal: AbortSignal): Promise<void>;
  timer(ms: number, ring: () => void): Disposable;
}
interface Logger {
  debug(event: string, data?: JsonObject): void;
  info(event: string, data?: JsonObject): void;
  warn(event: string, data?: JsonObject): void;
  error(event: string, data?: JsonObject): void;
  child(data: JsonObject): Logger;
}
type PersonId = string;
type Audience = string;
interface Readers {
  readonly to: readonly Audience[];
  readonly by: PersonId;
}
interface BlobRef {
  readonly sha256: string;
  readonly bytes: number;
}
type TextPart = {
  readonly type: "text";
  readonly text: string;
  readonly transcript?: true;
};
type MediaPart = {
  readonly type: "media";
  readonly mediaType: string;
  readonly blob: BlobRef;
  readonly name?: string;
  readonly voice?: true;
  readonly file?: string;
};
interface SentFile extends Pick<MediaPart, "voice"> {
  readonly file: string;
  readonly name: string;
  readonly locator: Json;
  readonly mediaType?: string;
  readonly bytes?: number;
}
type ContentPart = TextPart | MediaPart;
interface Address {
  readonly channel: string;
  readonly chat: string;
  readonly thread?: string;
}
interface ReplyHandle {
  readonly data: Json;
  readonly expiresAt?: Millis;
  readonly uses?: number;
  readonly key?: string;
}
interface Sender {
  readonly id: string;
  readonly name?: string;
  readonly kind: "person" | "agent" | "schedule";
  readonly bot?: true;
}
interface Label {
  readonly integrity: "trusted" | "untrusted";
  readonly confidentiality: "public" | "personal" | "sensitive";
  readonly readers?: readonly Readers[];
}
interface Marks extends Pick<Label, "readers"> {
  readonly integrity?: "untrusted";
  readonly confidentiality?: "personal" | "sensitive";
}
interface Grant {
  readonly rule: string;
  readonly tool: string;
  readonly scope: JsonObject;
  readonly shown: string;
}
interface SessionGrant extends Grant {
  readonly by: string;
  readonly call: CallId;
}
interface Sampling {
  readonly maxOutputTokens: number;
  readonly temperature?: number;
  readonly thinking: "off" | "low" | "medium" | "high";
  readonly toolChoice:
    | "auto"
    | "none"
    | "required"
    | {
        readonly name: string;
      };
}
interface TurnSampling {
  readonly maxOutputTokens?: number;
  readonly temperature?: number;
  readonly thinking?: Sampling["thinking"];
  readonly parallelTools?: boolean;
  readonly toolChoice?:
    | "required"
    | {
        readonly name: string;
      };
}
type ChannelFaultKind = "again" | "slow-down" | "refused" | "gone" | "markup" | "window" | "auth" | "config";
type ReplyKind = "reply" | "error" | "progress" | "approval" | "message" | "command";
interface AnswerButton {
  readonly token: string;
  readonly label: string;
  readonly style: "allow" | "deny" | "plain";
  readonly verdict: "allow" | "deny";
  readonly remember?: "session" | "always";
}
type Control =
  | {
      readonly type: "allow" | "deny";
      readonly call: CallId;
      readonly hash?: string;
      readonly reason?: string;
      readonly remember?: "session" | "always";
      readonly words?: string;
    }
  | {
      readonly type: "stop";
      readonly withdraw: boolean;
    }
  | {
      readonly type: "result";
      readonly call: CallId;
      readonly parts: readonly ContentPart[];
      readonly isError?: boolean;
    };
interface Quote {
  readonly key: string;
  readonly from: Sender;
  readonly own: boolean;
  readonly text?: string;
  readonly files?: readonly SentFile[];
}
interface InboundMessage {
  readonly key: string;
  readonly fromPlatform?: true;
  readonly origin: Address;
  readonly from: Sender;
  readonly parts: readonly ContentPart[];
  readonly files?: readonly SentFile[];
  readonly sessionKey?: string;
  readonly attended?: boolean;
  readonly control?: Control;
  readonly replyTo?: Address;
  readonly mode?: "queue";
  readonly sampling?: TurnSampling;
  readonly marks?: Marks;
  readonly chat?: "private" | "group";
  readonly title?: string;
  readonly handle?: ReplyHandle;
  readonly addressed?: "named" | "reply" | "command" | "other";
  readonly sentAt?: Millis;
  readonly audience?: Audience;
  readonly agent?: string | null;
  readonly quotes?: Quote;
  readonly unnamed?: readonly string[];
  readonly edits?: string;
  readonly allows?: SessionGrant;
}
interface OutboundMessage {
  readonly reply: string;
  readonly to: Address;
  readonly kind: ReplyKind;
  readonly parts: readonly ContentPart[];
  readonly from?: Sender;
  readonly marks?: Marks;
  readonly silent?: true;
}
type Accepted =
  | {
      readonly status: "accepted";
      readonly session: SessionId;
      readonly sessionKey: string;
      readonly seq: Seq;
      readonly message: string;
    }
  | {
      readonly status: "duplicate";
    }
  | {
      readonly status: "ignored";
      readonly why: "heard" | "not-addressed" | "late" | "seen" | "flood";
    }
  | {
      readonly status: "refused";
      readonly reason: string;
      readonly answer?: string;
      readonly until?: "room" | "release";
    };
interface Inbox {
  accept(message: InboundMessage): Promise<Accepted>;
}
interface Pressed {
  readonly status: "done" | "already" | "not-yours" | "expired" | "unknown";
  readonly text: string;
}
type Edited = InboundMessage & {
  readonly edits: string;
  readonly media?: "kept";
};
type Reaction = Pick<InboundMessage, "from" | "origin"> & {
  readonly of: string;
  readonly emoji?: string;
};
interface ChannelInbox extends Inbox {
  edited(change: Edited): Promise<
    | Accepted
    | {
        readonly status: "replaced";
      }
  >;
  removed(
    change: Pick<InboundMessage, "origin"> & {
      readonly of: string;
      readonly from?: Sender;
    },
  ): Promise<"withdrawn" | "ignored">;
  press(
    press: Pick<InboundMessage, "key" | "from" | "origin"> & {
      readonly token: string;
    },
  ): Promise<Pressed>;
  reacted(reaction: Reaction): Promise<"counted" | "told" | "ignored">;
  undelivered(
    lost: Pick<OutboundMessage, "reply" | "to"> & {
      readonly reason: string;
    },
  ): Promise<"noted" | "ignored">;
  admits(message: Pick<InboundMessage, "from" | "origin" | "chat"> & Partial<InboundMessage>): Promise<boolean>;
}
type Dialect = "plain" | "markdown" | "telegram-html" | "html" | "xep0393" | "mrkdwn" | "feishu-card";
interface Rate {
  readonly count: number;
  readonly perMs: Millis;
}
interface ChannelCan {
  readonly once: "key" | "lookup" | "no";
  readonly onceMs?: Millis;
  readonly text: {
    readonly dialect: Dialect;
    readonly max: number;
    readonly unit?: "utf16" | "codepoint" | "grapheme" | "byte";
    readonly after?: "rendered" | "parsed";
  };
  readonly media?: {
    readonly maxBytes: number;
  };
  readonly maxFileBytes?: number;
  readonly voice?: readonly string[];
  readonly edit?: true;
  readonly live?: {
    readonly everyMs: Millis;
    readonly inGroups?: true;
  };
  readonly rate?: {
    readonly channel?: Rate;
    readonly chat?: Rate;
    readonly group?: Rate;
    readonly concurrency?: number;
  };
  readonly quote?: true;
  readonly buttons?: true;
  readonly reactions?: "tell";
  readonly burstMs?: Millis;
  readonly progress?: false;
  readonly typingMs?: Millis;
  readonly react?: true;
  readonly ack?: string;
  readonly window?: {
    readonly ms: Millis;
    readonly uses?: number;
    readonly unsolicited: boolean;
  };
  readonly silenceMs?: Millis;
}
interface OutboundPiece extends OutboundMessage {
  readonly repeated?: true;
  readonly handle?: Json;
  readonly quote?: string;
  readonly rendered?: {
    readonly text: string;
    readonly plain: string;
  };
  readonly live?: true;
  readonly actions?: readonly Pick<AnswerButton, "token" | "label" | "style">[];
}
type LiveStream = {
  readonly keepMs: Millis;
  update(piece: OutboundPiece, signal: AbortSignal): Promise<void>;
};
interface Channel {
  readonly id: string;
  readonly can: ChannelCan;
  isOff?(): boolean;
  readonly uncertain?: "again" | "ask";
  run(inbox: ChannelInbox, signal: AbortSignal): Promise<void>;
  send(piece: OutboundPiece, signal: AbortSignal): Promise<string | undefined>;
  findSent?(
    piece: OutboundPiece,
    since: Millis,
    signal: AbortSignal,
  ): Promise<
    | {
        readonly status: "sent";
        readonly id?: string;
      }
    | {
        readonly status: "not-sent";
      }
    | undefined
  >;
  edit?(platformId: string, piece: OutboundPiece, signal: AbortSignal): Promise<void>;
  remove?(platformId: string, to: Address, signal: AbortSignal): Promise<void>;
  openStream?(first: OutboundPiece, signal: AbortSignal): Promise<LiveStream | undefined>;
  fetchMedia?(file: Pick<SentFile, "locator" | "mediaType">, signal: AbortSignal): Promise<AsyncIterable<Uint8Array>>;
  nameOf?(id: string, kind: "person" | "chat", signal: AbortSignal): Promise<string | undefined>;
  typing?(to: Address, signal: AbortSignal): Promise<void>;
  react?(of: string, emoji: string, isOn: boolean, to: Address, signal: AbortSignal): Promise<void>;
  commands?(list: readonly CommandInfo[], signal: AbortSignal): Promise<void>;
}
type CommandInfo = {
  readonly name: string;
  readonly description: Readonly<Record<"en" | "zh-CN", string>>;
  readonly words?: true;
};
interface FaultOptions {
  readonly cause?: unknown;
  readonly sent?: "no" | "maybe";
  readonly answered?: boolean;
  readonly scope?: "chat" | "channel";
  readonly retryAfterMs?: Millis;
}
interface ChannelState {
  cursor(): Json | undefined;
  setCursor(cursor: Json): Promise<void>;
  value(name: string): Json | undefined;
  setValue(name: string, value: Json | undefined): Promise<void>;
  forget(prefix: string, before: Millis): Promise<number>;
}
interface ChannelHook {
  readonly maxBytes?: number;
  proof(
    headers: Headers,
    body: Uint8Array,
  ):
    | {
        readonly given: string;
        readonly expected: string;
        readonly signedAt?: Millis;
      }
    | undefined;
  handle(headers: Headers, body: Uint8Array): Promise<Json | undefined>;
}
interface SpokenPlace {
  readonly id: string;
  readonly chat: string;
  readonly at: Millis;
}
interface Backfill<Place extends SpokenPlace, Said> {
  places(): Iterable<Place>;
  take(said: Said, place: Place): Promise<Place | undefined>;
  missed(
    place: Place,
    limits: {
      readonly since: Millis;
      readonly most: number;
    },
    signal: AbortSignal,
  ): Promise<
    | {
        readonly said: readonly Said[];
        readonly isCut?: boolean;
      }
    | "gone"
    | "closed"
  >;
}
type ChatLanes = {
  run(chat: string, act: () => Promise<void>): Promise<void>;
  catchUp(): Promise<void>;
  over(): Promise<void>;
};
interface CalledHook<Told> extends Omit<ChannelHook, "handle"> {
  read(
    headers: Headers,
    body: Uint8Array,
  ):
    | {
        readonly told: Told;
      }
    | {
        readonly answer: Json | undefined;
      };
}
interface ToldByCalls<Told> extends Disposable {
  next(): Promise<{
    readonly told: Told;
    taken(answer?: Json): void;
  }>;
}
interface ChannelHost {
  readonly clock: Clock;
  readonly log: Logger;
  readonly state: ChannelState;
  readonly media: {
    readonly maxBytes: number;
    save(
      bytes: Uint8Array | AsyncIterable<Uint8Array>,
      about: {
        readonly name?: string;
        readonly mediaType?: string;
      },
    ): Promise<MediaPart>;
    open(part: MediaPart): Promise<Blob>;
  };
  request(
    url: string | URL,
    init: RequestInit,
    more: {
      readonly ms: Millis;
      readonly maxBytes: number;
      readonly signal: AbortSignal;
      readonly heard?: () => void;
    },
  ): Promise<
    | Response
    | {
        readonly failed: string;
        readonly sent: "no" | "maybe";
        readonly cause?: unknown;
      }
  >;
  download(
    url: string | URL,
    more: {
      readonly headers?: Readonly<Record<string, string>>;
      readonly mediaType?: string | undefined;
      readonly signal: AbortSignal;
      refusal?(answer: Response): Promise<Error | undefined>;
    },
  ): Promise<AsyncIterable<Uint8Array>>;
  refused(
    accepted: Extract<
      Accepted,
      {
        readonly status: "refused";
      }
    >,
    more: {
      readonly chat: InboundMessage["chat"];
      readonly where: string;
      readonly say: (text: string) => Promise<unknown>;
      readonly signal: AbortSignal;
    },
  ): Promise<void>;
  http(path: string, hook: ChannelHook): Disposable;
  calls<Told>(path: string, hook: CalledHook<Told>, signal: AbortSignal): ToldByCalls<Told>;
  fault(kind: ChannelFaultKind, message: string, options?: FaultOptions): Error;
  alive(): void;
  up(account?: string): void;
  lanes<Place extends SpokenPlace, Said>(
    backfill: Backfill<Place, Said>,
    failed: (error: unknown) => void,
    signal: AbortSignal,
  ): ChatLanes;
  history(kept: "part" | "none"): void;
  degraded(reason: string): void;
  deadLetter(frame: string | Uint8Array, error: unknown): void;
}
interface ChannelOptions {
  readonly id: string;
  readonly settings: Readonly<Record<string, Json>>;
}
type LoginStep =
  | {
      readonly type: "qr";
      readonly data: string;
      readonly expiresAt: Millis;
    }
  | {
      readonly type: "code";
      readonly code: string;
      readonly url?: string;
      readonly expiresAt: Millis;
    }
  | {
      readonly type: "scanned";
    }
  | {
      readonly type: "done";
      readonly account: string;
      readonly settings: Readonly<Record<string, string>>;
    };
interface ChannelPlugin {
  readonly contract: "channel/1";
  readonly kind: string;
  create(options: ChannelOptions, host: ChannelHost): Channel;
  probe?(options: ChannelOptions, host: ChannelHost, signal: AbortSignal): Promise<string>;
  login?(options: ChannelOptions, host: ChannelHost, signal: AbortSignal): AsyncIterable<LoginStep>;
}
export type {
  Accepted,
  Address,
  Backfill,
  Channel,
  ChannelCan,
  ChannelFaultKind,
  ChannelHost,
  ChannelInbox,
  ChannelOptions,
  ChannelPlugin,
  ChannelState,
  ChatLanes,
  Clock,
  CommandInfo,
  ContentPart,
  Dialect,
  Edited,
  FaultOptions,
  InboundMessage,
  Inbox,
  Json,
  JsonObject,
  LiveStream,
  Logger,
  LoginStep,
  MediaPart,
  OutboundMessage,
  OutboundPiece,
  Pressed,
  Sender,
  SentFile,
  SpokenPlace,
};
