/** Users for whom a reverse proxy vouches, as long as the process lives. */
import type { Credential } from "./credential.ts";
import { scopesOf } from "./credentials.ts";

export interface Proxied {
  /** @param person that the user stands for; undefined: the owner. */
  credentialOf(user: string, person: string | undefined): Credential;
  /** Ends what is open for users who are nobody any more, or somebody else. */
  keep(isVouched: (user: string, person: string | undefined) => boolean): void;
  /** A fresh proof of that credential, if it is one of these. @param until ms since 1970. */
  refresh(id: string, until: number): void;
}

interface Entry {
  freshUntil: number;
  readonly gone: AbortController;
  readonly credential: Credential;
}

export function createProxied(): Proxied {
  const entries = new Map<string, Entry>();
  return {
    credentialOf: (user, person) => {
      const id = `proxy:${user}`;
      const found = entries.get(id);
      if (found !== undefined) return found.credential;
      const gone = new AbortController();
      const entry: Entry = {
        freshUntil: 0,
        gone,
        credential: {
          kind: "browser",
          id,
          name: user,
          ...scopesOf(person),
          gone: gone.signal,
          get freshUntil() {
            return entry.freshUntil;
          },
        },
      };
      entries.set(id, entry);
      return entry.credential;
    },
    keep: (isVouched) => {
      for (const [id, { credential, gone }] of entries) {
        if (isVouched(credential.name, credential.for)) continue;
        entries.delete(id);
        gone.abort(new Error("the credential has ended"));
      }
    },
    refresh: (id, until) => {
      const found = entries.get(id);
      if (found !== undefined) found.freshUntil = until;
    },
  };
}
