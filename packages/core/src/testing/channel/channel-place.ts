/** What the cases need that ask a channel alone. */
import type { Channel, ChannelOptions, ChannelPlugin } from "../../contract/channel.ts";
import type { Address } from "../../contract/message.ts";

/** A channel and the fake platform behind it; what a platform cannot do is left out, and its tests with it. */
export interface ChannelPlace extends Partial<AsyncDisposable> {
  readonly channel: Channel;
  /** A chat that may write and be written to. */
  readonly chat: Address;
  /** Another one. */
  readonly other?: Address;
  /** What people see, in order, as plain text: markup of the platform is removed, edits are applied. */
  shown(): Shown | Promise<Shown>;
  /** A person writes to `chat`. `id` is the platform's number of the message: the same again is a redelivery. */
  write?(id: number, text: string): void | Promise<void>;
  /** Resolves when the platform need not deliver the message again. */
  acknowledged?(id: number): Promise<void>;
  /** The next sends are refused, in a way that a later attempt may cure. */
  refuse?(sends: number): void;
  /** The longest text the platform takes, in UTF-16 units. Default `channel.can.text.max`. */
  readonly limit?: number;
}

/** The same with the plugin that makes the channel: the suite gives it a host. */
export type GivenPlace = Omit<ChannelPlace, "channel"> & {
  readonly channel: Channel | { readonly plugin: ChannelPlugin; readonly options: ChannelOptions };
};

type Shown = readonly { readonly to: Address; readonly text: string }[];
