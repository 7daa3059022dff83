/** Who may come in, as it is kept, with what this process knows and nobody has written yet. */
import { parsedDoc, type Docs } from "@margay/core/internal";
import { authIn, changeAuth, type AuthState, type BrowserEntry } from "./state.ts";
import { AUTH_DOC } from "./token-readers.ts";

export interface KeptAuth {
  readonly state: () => AuthState;
  /** Durable when it resolves, and holds from then on. */
  readonly change: (change: (state: AuthState) => AuthState) => Promise<void>;
  /** Browsers that ended here: they are gone also when the disk takes nothing. The next start finds them again. */
  readonly ended: Set<string>;
  /** When a browser came last, as far as it is not written. */
  readonly seenAt: Map<string, number>;
}

/** @throws RuntimeError `config.invalid` when what is kept is damaged. */
export function openKeptAuth(docs: Docs): KeptAuth {
  const ended = new Set<string>();
  const seenAt = new Map<string, number>();
  const kept = parsedDoc(docs, AUTH_DOC, authIn);
  let good = kept();
  const seen = (one: BrowserEntry): BrowserEntry => {
    return { ...one, lastSeenAt: Math.max(one.lastSeenAt, seenAt.get(one.id) ?? 0) };
  };
  return {
    ended,
    seenAt,
    state: () => {
      try {
        good = kept();
      } catch {
        // Damaged while we work: whoever may come in may still. The next start says it.
      }
      if (ended.size === 0 && seenAt.size === 0) return good;
      return { ...good, browsers: good.browsers.flatMap((one) => (ended.has(one.id) ? [] : seen(one))) };
    },
    change: (change) => changeAuth(docs, change),
  };
}
