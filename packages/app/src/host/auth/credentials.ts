/** Live credentials: one object per entry of the state, so that ending the entry ends everything that used it. */
import type { Clock } from "@margay/core";
import type { Credential } from "./credential.ts";
import type { BrowserEntry, TokenEntry } from "./state.ts";

export interface LiveCredentials {
  ofToken(entry: TokenEntry, superseded: boolean): Credential;
  ofBrowser(entry: BrowserEntry): Credential;
  /** Sockets and streams of it end. */
  end(id: string): void;
  dispose(): void;
}

/** @param expired Called once when the time of an entry is over. */
export function createLiveCredentials(clock: Clock, expired: (id: string) => void): LiveCredentials {
  const live = new Map<string, { readonly credential: Credential; readonly gone: AbortController }>();
  const end = (id: string): void => {
    const found = live.get(id);
    live.delete(id);
    found?.gone.abort(new Error("the credential has ended"));
  };
  /** Waits for the end of an entry, which may move while it waits. */
  const watch = async (id: string, endsAt: () => number, gone: AbortSignal): Promise<void> => {
    while (!gone.aborted) {
      const left = endsAt() - clock.now();
      if (left <= 0) {
        expired(id);
        end(id);
        return;
      }
      await clock.sleep(left, gone).catch(() => {}); // ended before its time: the loop sees it
    }
  };
  const open = (id: string, make: (gone: AbortSignal) => Credential, endsAt?: () => number): Credential => {
    const found = live.get(id);
    if (found !== undefined) return found.credential;
    const gone = new AbortController();
    const credential = make(gone.signal);
    live.set(id, { credential, gone });
    if (endsAt !== undefined) void watch(id, endsAt, gone.signal); // ends with its entry; never throws
    return credential;
  };
  return {
    ofToken: (entry, superseded) => {
      const until = superseded ? entry.previous?.until : entry.expiresAt;
      return open(
        superseded ? `${entry.id}:previous` : entry.id,
        (gone) => ({
          kind: "token",
          id: entry.id,
          name: entry.name,
          scopes: new Set(entry.scopes),
          ...(entry.for !== undefined && { for: entry.for }),
          ...(until !== undefined && { expiresAt: until }),
          gone,
        }),
        until === undefined ? undefined : () => until,
      );
    },
    ofBrowser: (entry) =>
      open(
        entry.id,
        (gone) => ({
          kind: "browser",
          id: entry.id,
          name: entry.userAgent,
          ...scopesOf(entry.for),
          // Asked when it matters: a proof given later holds for sockets opened before.
          get freshUntil() {
            return entry.freshUntil;
          },
          get expiresAt() {
            return endOf(entry);
          },
          gone,
        }),
        () => endOf(entry),
      ),
    end: (id) => {
      end(id);
      end(`${id}:previous`);
    },
    dispose: () => {
      for (const id of [...live.keys()]) end(id);
    },
  };
}

export function endOf(entry: BrowserEntry): number {
  return Math.min(entry.endsAt, entry.lastSeenAt + entry.idleMs);
}

/** A person beside the owner speaks for themselves: what they may ask is said route by route. */
export function scopesOf(person: string | undefined): Pick<Credential, "scopes" | "for"> {
  return person === undefined ? { scopes: new Set(["admin"]) } : { scopes: new Set(["chat"]), for: person };
}
