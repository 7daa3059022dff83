/** What the parts of the channel have in common. Types alone. */
import type { ChannelHost, ChannelInbox } from "@margay/core/plugin";
import type { Api } from "./api.ts";
import type { Me } from "./message.ts";
import type { Pace } from "./pace.ts";
import type { Places } from "./places.ts";
import type { Settings } from "./settings.ts";

/** One app of the configuration, at work. */
export interface Account {
  readonly id: string;
  readonly settings: Settings;
  readonly api: Api;
  readonly places: Places;
  readonly pace: Pace;
  /** Who we are, asked once. @throws Refusal, NoAnswer; the reason of the signal. */
  readonly who: (signal: AbortSignal) => Promise<Me>;
  readonly host: ChannelHost;
  /** Who is called learns of a token that holds no more by a send alone. */
  readonly sends: { refused?: ((error: unknown) => void) | undefined };
}

/** One run, and whom it speaks for. */
export interface Taking {
  readonly account: Account;
  readonly inbox: ChannelInbox;
  readonly signal: AbortSignal;
  readonly me: Me;
  /** Messages that were taken in this run: they come twice where we are mentioned, live, and from the history. */
  readonly taken: Set<string>;
  /** Live and from the history: one after the other. */
  readonly oneByOne: <T>(act: () => Promise<T>) => Promise<T>;
}

/** What a send needs of it. */
export type Sender = Pick<Account, "api" | "places" | "pace" | "who" | "host">;
