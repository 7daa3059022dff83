/** Who may come in, as it is kept, with what this process knows and nobody has written yet. */
import { parsedDoc, type Docs } from "@margay/core/internal";
import { authIn, changeAuth, type AuthState, type BrowserEntry } from "./state.ts";
import { AUTH_DOC } from "./token-readers.ts";

export interface KeptAuth {
  readonly state: () => AuthState;
  /** As it is on disk, with browsers that ended only here. */
  readonly written: () => AuthState;
  /** Durable when it resolves, and holds from then on; without the browsers that ended here. */
  readonly change: (change: (state: AuthState) => AuthState) => Promise<void>;
  /** Browsers that ended here: they are gone also when the disk takes nothing, and go from it with the next change. */
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
  const written = (): AuthState => {
    try {
      good = kept();
    } catch {
      // Damaged while we work: whoever may come in may still. The next start says it.
    }
    return good;
  };
  const withoutEnded = (state: AuthState): AuthState => {
    return { ...state, browsers: state.browsers.filter(({ id }) => !ended.has(id)) };
  };
  return {
    ended,
    seenAt,
    written,
    state: () => {
      const state = written();
      if (ended.size === 0 && seenAt.size === 0) return state;
      return { ...state, browsers: withoutEnded(state).browsers.map(seen) };
    },
    change: (change) => changeAuth(docs, (state) => withoutEnded(change(state))),
  };
}
