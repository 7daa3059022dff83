/** Who may come in: tokens, browser logins, the password and codes. Everything that changes is on disk before it holds. */
import type { Clock } from "@margay/core";
import type { Ids } from "@margay/core/internal";
import { createCodes, type Codes } from "./codes.ts";
import type { Credential, GrantedScope } from "./credential.ts";
import { createLiveCredentials, endOf } from "./credentials.ts";
import { createProxied, type Proxied } from "./proxied.ts";
import { createFixed } from "./fixed.ts";
import { createLockout, type Lockout } from "./lockout.ts";
import { acceptablePassword, createHasher } from "./password.ts";
import { digestOf, findByDigest, newSecret, newToken, sameDigest } from "./secrets.ts";
import { readAuthState, writeAuthState, type AuthState, type BrowserEntry, type TokenEntry } from "./state.ts";

export type Found = Credential | "invalid" | "expired";

export interface Client {
  readonly address: string;
  readonly userAgent: string;
}

export interface NewToken {
  readonly name: string;
  readonly scopes: readonly GrantedScope[];
  readonly expiresAt?: number;
  readonly budgetUsdPerDay?: number;
  /** As `TokenEntry.for`. */
  readonly for?: string;
}

export interface BrowserLogin {
  readonly credential: Credential;
  /** Value of the cookie. */
  readonly cookie: string;
  readonly key: string;
  readonly expiresAt: number;
  readonly maxAgeMs: number;
}

export interface AuthStore extends Disposable {
  /** Of this start; for commands on this machine, in `gateway.json`. */
  readonly localToken: string;
  readonly codes: Codes;
  readonly lockout: Lockout;
  bearer(secret: string): Found;
  browser(cookie: string, key: string): Found;
  /** Somebody whom a listed proxy vouches for: as a browser's login. @param person whose; absent: the owner's. */
  proxied(user: string, person?: string): Credential;

  /** @param person as `BrowserEntry.for`. */
  openBrowser(client: Client, person?: string): BrowserLogin;
  browsers(): readonly BrowserEntry[];
  /** @returns false when there is none. */
  closeBrowser(id: string): boolean;
  /** Ends the logins of who is there no more, and of users of a proxy who are nobody, or somebody else. */
  keepBrowsers(are: {
    readonly isThere: (person: string) => boolean;
    readonly isVouched: (user: string, person: string | undefined) => boolean;
  }): void;
  /** A fresh proof: acts as owner for ten minutes. @returns until when. */
  refresh(id: string): number;

  tokens(): readonly TokenEntry[];
  createToken(token: NewToken): { readonly id: string; readonly token: string };
  rotateToken(id: string, graceMs: number): string | undefined;
  revokeToken(id: string): boolean;

  hasPassword(): boolean;
  /** @throws Problem `auth.weak-password`. */
  acceptable(typed: string): void;
  checkPassword(typed: string): Promise<boolean>;
  /** Closes all browsers but one. @throws Problem `auth.weak-password`. */
  setPassword(typed: string, keep?: string): Promise<void>;
}

export interface AuthOptions {
  readonly home: string;
  readonly clock: Clock;
  readonly ids: Ids;
  /** A token of the configuration: acts as `admin`. */
  readonly configured: string | undefined;
  readonly lifetimes: () => { readonly idleMs: number; readonly maxMs: number };
}

const FRESH_MS = 10 * 60_000;
/** `lastSeenAt` is written at most this often: a crash costs a login no more than this of its idle time. */
const SEEN_EVERY_MS = 60_000;

interface Auth extends Pick<AuthOptions, "home" | "clock" | "ids" | "lifetimes"> {
  readonly fixed: ReturnType<typeof createFixed>;
  readonly live: ReturnType<typeof createLiveCredentials>;
  readonly proxied: Proxied;
  /** As it is in `auth.json`. */
  state: AuthState;
}

/** @throws RuntimeError `config.invalid` when `auth.json` is damaged. */
export function openAuth({ home, clock, ids, configured, lifetimes }: AuthOptions): AuthStore {
  const localToken = newToken();
  const auth: Auth = {
    home,
    clock,
    ids,
    lifetimes,
    fixed: createFixed([
      { id: "local", kind: "local", scope: "owner", secret: localToken },
      ...(configured === undefined || configured === ""
        ? []
        : [{ id: "configured", kind: "token", scope: "admin", secret: configured } as const]),
    ]),
    live: createLiveCredentials(clock, (id) => {
      const browsers = auth.state.browsers.filter((one) => one.id !== id);
      if (browsers.length !== auth.state.browsers.length) save(auth, { ...auth.state, browsers });
    }),
    proxied: createProxied(),
    state: readAuthState(home),
  };
  return {
    localToken,
    codes: createCodes(clock),
    lockout: createLockout(clock),
    ...credentialsOf(auth),
    ...browsersOf(auth),
    ...tokensOf(auth),
    ...passwordOf(auth),
    [Symbol.dispose]: () => auth.live.dispose(),
  };
}

function save(auth: Auth, next: AuthState): void {
  writeAuthState(auth.home, next);
  auth.state = next;
}

/** Who comes with what. */
function credentialsOf(auth: Auth): Pick<AuthStore, "bearer" | "browser" | "proxied"> {
  const { fixed, live, clock, proxied } = auth;
  return {
    bearer: (secret) => {
      const digest = digestOf(secret);
      const own = fixed.find(digest);
      const found = findByDigest(auth.state.tokens, digest, tokenDigests);
      if (own !== undefined) return own;
      if (found === undefined) return "invalid";
      const now = clock.now();
      if (found.expiresAt !== undefined && found.expiresAt <= now) return "expired";
      const superseded = !sameDigest(found.digest, digest);
      if (superseded && (found.previous?.until ?? 0) <= now) return "invalid";
      return live.ofToken(found, superseded);
    },
    browser: (cookie, key) => {
      const found = findByDigest(auth.state.browsers, digestOf(cookie), (one) => [one.cookie]);
      const fits = sameDigest(found?.key ?? digestOf(""), digestOf(key));
      if (found === undefined || !fits) return "invalid";
      const now = clock.now();
      if (endOf(found) <= now) {
        endBrowsers(auth, (one) => one.id === found.id);
        return "expired";
      }
      const due = now - found.lastSeenAt >= SEEN_EVERY_MS;
      if (due) {
        found.lastSeenAt = now;
        save(auth, auth.state);
      }
      return live.ofBrowser(found);
    },
    proxied: proxied.credentialOf,
  };
}

function browsersOf(
  auth: Auth,
): Pick<AuthStore, "openBrowser" | "browsers" | "closeBrowser" | "keepBrowsers" | "refresh"> {
  const { clock, ids, live, lifetimes, proxied } = auth;
  return {
    openBrowser: ({ address, userAgent }, person) => {
      const now = clock.now();
      const { idleMs, maxMs } = lifetimes();
      const [cookie, key] = [newSecret(), newSecret()];
      const entry: BrowserEntry = {
        id: ids.next("browser"),
        cookie: digestOf(cookie),
        key: digestOf(key),
        userAgent: userAgent.slice(0, 200),
        address,
        createdAt: now,
        lastSeenAt: now,
        endsAt: now + maxMs,
        idleMs,
        freshUntil: now + FRESH_MS,
        ...(person !== undefined && { for: person }),
      };
      save(auth, { ...auth.state, browsers: [...auth.state.browsers.filter((one) => endOf(one) > now), entry] });
      return { credential: live.ofBrowser(entry), cookie, key, expiresAt: endOf(entry), maxAgeMs: maxMs };
    },
    browsers: () => auth.state.browsers.filter((one) => endOf(one) > clock.now()),
    closeBrowser: (id) => endBrowsers(auth, (one) => one.id === id),
    keepBrowsers: ({ isThere, isVouched }) => {
      proxied.keep(isVouched);
      const isGone = (one: BrowserEntry): boolean => one.for !== undefined && !isThere(one.for);
      const ended = auth.state.browsers.filter(isGone);
      if (ended.length === 0) return;
      // It holds also when the disk takes nothing: the next start finds them again.
      auth.state = { ...auth.state, browsers: auth.state.browsers.filter((one) => !isGone(one)) };
      for (const one of ended) live.end(one.id);
      save(auth, auth.state);
    },
    refresh: (id) => {
      const until = clock.now() + FRESH_MS;
      proxied.refresh(id, until);
      for (const one of auth.state.browsers) if (one.id === id) one.freshUntil = until;
      save(auth, auth.state);
      return until;
    },
  };
}

function endBrowsers(auth: Auth, gone: (entry: BrowserEntry) => boolean): boolean {
  const { browsers } = auth.state;
  const ended = browsers.filter(gone);
  if (ended.length === 0) return false;
  save(auth, { ...auth.state, browsers: browsers.filter((one) => !gone(one)) });
  for (const one of ended) auth.live.end(one.id);
  return true;
}

function tokensOf(auth: Auth): Pick<AuthStore, "tokens" | "createToken" | "rotateToken" | "revokeToken"> {
  const { clock, ids, live } = auth;
  const replace = (id: string, next: TokenEntry | undefined): void => {
    save(auth, { ...auth.state, tokens: auth.state.tokens.flatMap((one) => (one.id === id ? (next ?? []) : one)) });
    live.end(id);
  };
  return {
    tokens: () => auth.state.tokens,
    createToken: ({ name, scopes, expiresAt, budgetUsdPerDay, for: reader }) => {
      const token = newToken();
      const entry: TokenEntry = {
        id: ids.next("token"),
        name,
        scopes: [...new Set(scopes)],
        digest: digestOf(token),
        createdAt: clock.now(),
        ...(expiresAt !== undefined && { expiresAt }),
        ...(budgetUsdPerDay !== undefined && { budgetUsdPerDay }),
        ...(reader !== undefined && { for: reader }),
      };
      save(auth, { ...auth.state, tokens: [...auth.state.tokens, entry] });
      return { id: entry.id, token };
    },
    rotateToken: (id, graceMs) => {
      const found = auth.state.tokens.find((one) => one.id === id);
      if (found === undefined) return undefined;
      const token = newToken();
      const { previous: _gone, ...kept } = found;
      const previous = { digest: found.digest, until: clock.now() + graceMs };
      replace(id, { ...kept, digest: digestOf(token), ...(graceMs > 0 && { previous }) });
      return token;
    },
    revokeToken: (id) => {
      if (!auth.state.tokens.some((one) => one.id === id)) return false;
      replace(id, undefined);
      return true;
    },
  };
}

function passwordOf(auth: Auth): Pick<AuthStore, "hasPassword" | "acceptable" | "checkPassword" | "setPassword"> {
  const hasher = createHasher();
  return {
    hasPassword: () => auth.state.password !== undefined,
    acceptable: (typed) => {
      acceptablePassword(typed);
    },
    checkPassword: (typed) => hasher.fits(typed, auth.state.password),
    setPassword: async (typed, keep) => {
      const password = await hasher.make(acceptablePassword(typed));
      save(auth, { ...auth.state, password });
      endBrowsers(auth, (one) => one.id !== keep);
    },
  };
}

function tokenDigests({ digest, previous }: TokenEntry): readonly string[] {
  return previous === undefined ? [digest] : [digest, previous.digest];
}
