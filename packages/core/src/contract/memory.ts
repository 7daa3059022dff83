/** Long-term memory: MEMORY.md holds facts, HISTORY.md is a dated log. Both are ordinary files that people edit. */
import type { Millis } from "./base.ts";
import type { Readers } from "./people.ts";

export interface Memory {
  /** MEMORY.md; `""` when there is none. */
  facts(): Promise<string>;
  /**
   * Replaces MEMORY.md atomically; the version before is kept in the state directory.
   * @throws RuntimeError `memory.conflict` unless it still hashes to `expected`.
   */
  rewrite(text: string, expected: string): Promise<void>;
  /**
   * One dated entry at the end of HISTORY.md. Written once, also when it is asked for again after a crash.
   * @param timeZone In which it is dated. Default: the memory's own.
   */
  log(entry: string, at: Millis, timeZone?: string): Promise<void>;
  /** Adds or replaces one line of MEMORY.md. */
  remember(text: string, replaces?: string): Promise<"remembered" | "known" | "missing" | "several">;
  /** SHA-256 of a text, as `rewrite` compares it. */
  hash(text: string): string;
}

export interface Recalled {
  /** `memory`, `history`, or the key of a session. */
  readonly source: string;
  /** Line of the file, or row of the transcript, from 1. */
  readonly line: number;
  readonly text: string;
  /** From outside the machine or from a stranger: returned as quoted data. */
  readonly untrusted: boolean;
  /** Who may read it beside who reads here. Absent: they alone. */
  readonly readers?: readonly Readers[];
  /** Said in that session while others read it than now. */
  readonly earlier?: true;
}
export interface Recall {
  /** All words must occur; newest first per source. */
  search(query: string, limit: number): Promise<readonly Recalled[]>;
}
