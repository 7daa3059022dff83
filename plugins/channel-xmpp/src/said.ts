/** What the writers of the last messages call them, and the keys under which they were taken: a correction names the one, the inbox knows the other. */
import { createHash } from "node:crypto";
import type { ChannelHost } from "@margay/core/plugin";
import type { Incoming } from "./read.ts";

/** People correct what they have just said. */
const MAX_SAID = 100;
/** Servers choose them; one that is longer is nothing to keep. */
const MAX_KEY = 400;

export class Said {
  readonly #state: ChannelHost["state"];
  #all: readonly (readonly [name: string, key: string])[] | undefined;

  constructor(state: ChannelHost["state"]) {
    this.#state = state;
  }

  /** Where nothing is archived, what its writer calls a message is its key. */
  keyOf(said: string): string {
    const name = nameOf(said);
    return this.#known().findLast(([one]) => one === name)?.[1] ?? `id ${said}`;
  }

  /** It was taken. */
  async note({ said, corrects, key }: Incoming): Promise<void> {
    if (said === undefined || corrects !== undefined || key === `id ${said}` || key.length > MAX_KEY) return;
    this.#all = [...this.#known(), [nameOf(said), key] as const].slice(-MAX_SAID);
    await this.#state.setValue("said", this.#all as never); // all of it is JSON
  }

  #known(): readonly (readonly [string, string])[] {
    const saved = this.#all ?? this.#state.value("said");
    return Array.isArray(saved) ? (saved as unknown as readonly [string, string][]) : []; // written above
  }
}

/** Writers choose the ids, of any length. */
function nameOf(said: string): string {
  return createHash("sha256").update(said).digest("base64url").slice(0, 22);
}
