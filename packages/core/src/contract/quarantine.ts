import type { Millis } from "./base.ts";

/** What a command left behind that runs by itself, kept aside. Nothing is lost: it is kept for 30 days. */
export interface Quarantined {
  readonly id: string;
  /** Where it was, below the workspace. */
  readonly path: string;
  /** A name, or the keys of a configuration. */
  readonly why: string;
  readonly kind: "file" | "directory" | "link";
  readonly at: Millis;
  /** Of its content: what is taken back is what was shown. */
  readonly sha256: string;
  readonly bytes: number;
  /** A text; of a folder the names in it, then its texts, indented; the target of a link. Absent: it is no text. */
  readonly text?: string;
  /** `text` is only the beginning. */
  readonly cut?: true;
}
/** `occupied`: something else is at its place now. `changed`: it is not what was shown. */
export type TakenBack = { readonly status: "taken back" | "occupied"; readonly path: string } | { readonly status: "changed" | "unknown" };
export type Removed = { readonly status: "removed"; readonly path: string } | { readonly status: "unknown" };

export interface Quarantine {
  /** Oldest first. */
  list(): Promise<readonly Quarantined[]>;
  /** A person's alone. @param sha256 as it was shown. @param by who. */
  takeBack(id: string, sha256: string, by: string): Promise<TakenBack>;
  remove(id: string, by: string): Promise<Removed>;
}
