/** How a case is told to the suite. */
import type { House } from "./house.ts";
import type { ChannelGap, PeerOptions } from "./peer.ts";

export interface CaseOptions extends Omit<PeerOptions, "clock"> {
  /** Without these it cannot be asked: it is a gap of the platform, which its README names. */
  readonly needs?: readonly ChannelGap[];
}

/** @param name begins with the rows that it proves. */
export type Case = (name: string, body: (house: House) => Promise<void>, options?: CaseOptions) => void;
