/** Live credentials: one object per entry of the state, so that ending the entry ends everything that used it. What an entry says is asked when it matters. */
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

/** Behind the id of a token whose secret was replaced. */
const PREVIOUS = ":previous";

export interface LiveOptions {
  readonly clock: Clock;
  /** As it is now. */
  readonly browser: (id: string) => BrowserEntry | undefined;
  /** Whether there is an entry of that id. */
  readonly isThere: (id: string) => boolean;
  /** Told that entries may have changed. Called when there is something that could end by it. */
  readonly follow: (changed: () => void) => Disposable;
  /** Called once when the time of an entry is over. */
  readonly expired: (id: string) => void;
}

export function createLiveCredentials(options: LiveOptions): LiveCredentials {
  const { clock, browser, isThere, follow, expired } = options;
  const endsAt = (id: string): number => endOf(browser(id));
  let following: Disposable | undefined;
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
    following ??= follow(() => [...live.keys()].filter((one) => !isThere(one.replace(PREVIOUS, ""))).forEach(end)); // by others
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
        superseded ? `${entry.id}${PREVIOUS}` : entry.id,
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
            return browser(entry.id)?.freshUntil ?? 0;
          },
          get expiresAt() {
            return endsAt(entry.id);
          },
          gone,
        }),
        () => endsAt(entry.id),
      ),
    end: (id) => {
      end(id);
      end(`${id}${PREVIOUS}`);
    },
    dispose: () => {
      following?.[Symbol.dispose]();
      for (const id of [...live.keys()]) end(id);
    },
  };
}

/** Undefined: it has ended. */
export function endOf(entry: BrowserEntry | undefined): number {
  return entry === undefined ? 0 : Math.min(entry.endsAt, entry.lastSeenAt + entry.idleMs);
}

/** A person beside the owner speaks for themselves: what they may ask is said route by route. */
export function scopesOf(person: string | undefined): Pick<Credential, "scopes" | "for"> {
  return person === undefined ? { scopes: new Set(["admin"]) } : { scopes: new Set(["chat"]), for: person };
}
