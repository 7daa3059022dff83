/** What stands behind a channel in its suite: a platform with people on it, real or emulated, that can be told to misbehave. */
import type { ChannelHooks } from "../../channels/hooks.ts";
import type { Clock, Json } from "../../contract/base.ts";
import type { ChannelHost, ChannelPlugin } from "../../contract/channel.ts";
import type { Address } from "../../contract/message.ts";

/** What a platform, or its channel, does not have. Each is said in the README of the channel, with the reason. */
export type ChannelGap =
  | "acknowledges" // the platform is not told what was taken
  | "again" // a message cannot be told twice
  | "albums"
  | "buttons"
  | "blocking" // nobody can shut us out of a chat
  | "bots"
  | "calls" // no text of ours could call anybody
  | "changes" // people cannot change what they wrote, or nobody is told
  | "commands" // the platform keeps no list of them
  | "closing" // nobody can close a thread
  | "edits" // ours
  | "files"
  | "files-out"
  | "garbage" // no frame could be unreadable, or from the future
  | "groups"
  | "login" // nobody logs in by a code: settings are typed in
  | "lost-files" // a file comes with its message
  | "markup" // nothing of ours could be refused for its markup
  | "moves" // a chat keeps its id
  | "paced" // nothing is refused for coming too fast
  | "probe"
  | "quotes" // no message is shown as the answer to another one
  | "reactions" // nothing of ours is put below a message of somebody
  | "replies" // a message answers none by itself
  | "reconnects" // there is no connection that stays
  | "resume"
  | "sudden" // the platform never asks for another connection
  | "system" // no event of the platform itself
  | "threads"
  | "tokens" // nothing that could be taken back while it runs
  | "typing";

export interface PeerPerson {
  /** By which margay knows them. */
  readonly id: string;
  readonly name: string;
}

export interface PeerFile {
  readonly name: string;
  readonly mediaType: string;
  readonly bytes: Uint8Array;
}

export interface PeerWriting {
  readonly files?: readonly PeerFile[];
  /** Words that mean us, as people on the platform say it: `text` stands behind them. */
  readonly toUs?: true;
  /** Those words stand in code, where they mean nobody. */
  readonly inCode?: true;
  /** Words that mean this one stand in front. */
  readonly names?: PeerPerson;
  /** It answers that message: what `write` gave; `us`: our last one there. */
  readonly answers?: unknown;
  /** The connection does not tell of it: it is found when somebody asks for what was missed. */
  readonly untold?: true;
}

/** A message of ours as people see it, markup removed and edits applied. */
export interface PeerShown {
  readonly text: string;
  /** Their names. */
  readonly files: readonly string[];
  /** What is in them. */
  readonly contents?: readonly Uint8Array[];
  /** How many people it calls. */
  readonly calls: number;
  /** The words of the message that it is shown to answer, while that is there. */
  readonly quotes?: string;
}

/**
 * What becomes of a send. `before`: the connection ends, nothing was done. `lost`: it was done, and no answer comes. `half`: it was
 * done, and half of the answer comes. `garbage`: an answer nobody understands. `error`: the platform is broken. `refused`: it will
 * never be taken. `markup`: the markup cannot be read. `slow`: later, in a second.
 */
export type PeerFault = "before" | "lost" | "half" | "garbage" | "error" | "refused" | "markup" | "slow";

/**
 * What becomes of the connection. `cut`: it is gone. `closed`: the platform closes it. `asked`: the platform asks for another one.
 * `forgotten`: it is gone, and cannot be taken up again.
 */
export type PeerBreak = "cut" | "closed" | "asked" | "forgotten";

/** Of a platform of its own, or of a part of one that nobody else uses. */
export interface ChannelPeer extends AsyncDisposable {
  /** Below `channels`. */
  readonly id: string;
  readonly plugin: ChannelPlugin;
  readonly settings: Readonly<Record<string, Json>>;
  /** Secrets of `settings` that it shows to us, and not we to it: no question tells whether they are right. */
  readonly unasked?: readonly string[];
  /** Where people log in by a code. */
  readonly login?: {
    /** What is known before. */
    readonly settings: Readonly<Record<string, Json>>;
    /** Somebody with a phone. @param code as it is shown */
    act(code: string, how: "agree" | "refuse"): void | Promise<void>;
  };
  /** Where it calls the channel, where it does. */
  readonly hooks?: ChannelHooks;
  /** The most characters that a person can write at once. Default 4,000. */
  readonly longest?: number;
  /** The longest text of ours that it takes, in UTF-16 units. Default `can.text.max`. */
  readonly limit?: number;
  /** A chat that does not exist, or where nobody asked us in. */
  readonly nowhere?: Address;
  /** Of a fault: those that the platform cannot have. */
  readonly faultless?: readonly PeerFault[];

  person(name: string): PeerPerson | Promise<PeerPerson>;
  /** Their private chat with us. */
  chat(person: PeerPerson): Address | Promise<Address>;
  group?(...members: readonly PeerPerson[]): Address | Promise<Address>;
  /** A new one. `chat` is what `chat` or `group` gave. */
  thread?(chat: Address, by: PeerPerson): Address | Promise<Address>;
  /** @returns what it is called by `again`. */
  write(by: PeerPerson, to: Address, text: string, how?: PeerWriting): unknown;
  /** With as much as the platform ever sends at once. @param text stands in a message of its own, or at the end of a long one. */
  writeLargest?(by: PeerPerson, to: Address, text: string): unknown;
  /** Its author has changed it. */
  edit?(by: PeerPerson, message: unknown, text: string): unknown;
  /** Presses the first button that is there. @returns false: there is none. */
  press?(by: PeerPerson, place: Address): boolean | Promise<boolean>;
  /** Who wrote it takes a message back. @param message as `write` gave it. */
  takeBack?(by: PeerPerson, to: Address, message: unknown): void | Promise<void>;
  /** It has another id at the platform from now on. @returns where people write now. */
  move?(chat: Address, by: PeerPerson): Address | Promise<Address>;
  /** Nobody is to write there any more. */
  closeThread?(place: Address): void | Promise<void>;
  /** The same message is told once more. @param host of the channel that runs. */
  again?(message: unknown, host: ChannelHost): void | Promise<void>;
  /** Whether the platform will not tell it again by itself. */
  acknowledged?(message: unknown, host: ChannelHost): boolean;
  /** What we have put below it, by the platform's own names. @param message as `write` gave it. */
  reactions?(message: unknown): readonly string[] | Promise<readonly string[]>;
  /** Ours in that place, the oldest first. */
  shown(place: Address): readonly PeerShown[] | Promise<readonly PeerShown[]>;
  /** The commands that it offers, of each list that it was told, the oldest first. */
  commands?(): readonly (readonly { readonly name: string; readonly en: string; readonly zh: string }[])[];
  /** Of the next sends. */
  fault(how: PeerFault, times: number): void;
  /** Too many: for so many seconds, in that chat or in all. */
  slow?(seconds: number, chat?: Address): void;
  break?(how: PeerBreak): void | Promise<void>;
  /** So many connections are open, or asked for. */
  connections?(): number;
  /** What is connected stays so, and is neither read nor answered; or that is over, for who connects anew. */
  silence(isSilent: boolean): void | Promise<void>;
  /** Nobody reaches it. */
  down(): void | Promise<void>;
  up(): void | Promise<void>;
  /** We may not write there any more. */
  shutOut?(chat: Address): void | Promise<void>;
  /** The token, or the password, holds no more, or again. */
  revoke?(isRevoked: boolean): void;
  /** `frame`: nobody can read it. `future`: of a kind that nobody knows yet. `hole`: of a known kind, and most of it is missing. */
  garbage?(what: "frame" | "future" | "hole"): void | Promise<void>;
  /** What is garbage is a form of what can be read. Default: it is kept aside. */
  readonly readsAll?: true;
  /** How often the usual run breaks the connection: fewer where that takes long. Default 50. */
  readonly breaks?: number;
  /** How much each of two people writes in the usual run. Default 10. */
  readonly few?: number;
  /** `own`: what we said comes back. `system`: somebody was renamed, joined, left. `bot`: another program means us. */
  noise?(what: "own" | "system" | "bot", by: PeerPerson, chat: Address): void | Promise<void>;
  /** The next file cannot be had: it is gone, is a page that asks to sign in, or nothing of it comes. */
  loseFile?(how: "gone" | "page" | "hang"): void;
  /** The next files of ours are refused. */
  failFile?(times: number): void;
  /** The next signs of typing end so. */
  typingFault?(how: "refused" | "silent", times: number): void;
}

export interface PeerOptions {
  /** What the platform counts by. */
  readonly clock: Pick<Clock, "now">;
  /** As many messages as the platform takes in reality. Default: any number. */
  readonly limits?: "real";
}

/** Everything that the suite has to know of one kind of channel. */
export interface ChannelSuite {
  /** Why not, in words of a reader: each as `- NAME: why` in the README. */
  readonly gaps: Readonly<Partial<Record<ChannelGap, string>>>;
  /** The README of the channel. */
  readonly readme: URL;
  peer(options: PeerOptions): Promise<ChannelPeer>;
}
