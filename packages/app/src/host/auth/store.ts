/** Who may come in: tokens, browser logins, the password and codes. Everything that changes is on disk before it holds. */
import type { Clock } from "@margay/core";
import type { Docs, Ids } from "@margay/core/internal";
import { createCodes, type Codes } from "./codes.ts";
import type { Credential, GrantedScope } from "./credential.ts";
import { createLiveCredentials, endOf } from "./credentials.ts";
import { createProxied, type Proxied } from "./proxied.ts";
import { type KeptAuth, openKeptAuth } from "./kept.ts";
import { createFixed } from "./fixed.ts";
import { createLockout, type Lockout } from "./lockout.ts";
import { acceptablePassword, createHasher } from "./password.ts";
import { digestOf, findByDigest, newSecret, newToken, sameDigest } from "./secrets.ts";
import type { AuthState, BrowserEntry, TokenEntry } from "./state.ts";
import { AUTH_DOC } from "./token-readers.ts";

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
  openBrowser(client: Client, person?: string): Promise<BrowserLogin>;
  browsers(): readonly BrowserEntry[];
  /** @returns false when there is none. */
  closeBrowser(id: string): Promise<boolean>;
  /** Ends the logins of who is there no more, and of users of a proxy who are nobody, or somebody else: at once, and durably when it resolves. */
  keepBrowsers(are: {
    readonly isThere: (person: string) => boolean;
    readonly isVouched: (user: string, person: string | undefined) => boolean;
  }): Promise<void>;
  /** A fresh proof: acts as owner for ten minutes. @returns until when. */
  refresh(id: string): Promise<number>;

  tokens(): readonly TokenEntry[];
  createToken(token: NewToken): Promise<{ readonly id: string; readonly token: string }>;
  rotateToken(id: string, graceMs: number): Promise<string | undefined>;
  revokeToken(id: string): Promise<boolean>;

  hasPassword(): boolean;
  /** @throws Problem `auth.weak-password`. */
  acceptable(typed: string): void;
  checkPassword(typed: string): Promise<boolean>;
  /** Closes all browsers but one. @throws Problem `auth.weak-password`. */
  setPassword(typed: string, keep?: string): Promise<void>;
}

export interface AuthOptions {
  readonly docs: Docs;
  readonly clock: Clock;
  readonly ids: Ids;
  /** A token of the configuration: acts as `admin`. */
  readonly configured: string | undefined;
  readonly lifetimes: () => { readonly idleMs: number; readonly maxMs: number };
}

const FRESH_MS = 10 * 60_000;
/** `lastSeenAt` is written at most this often: a crash costs a login no more than this of its idle time. */
const SEEN_EVERY_MS = 60_000;

interface Auth extends Pick<AuthOptions, "clock" | "ids" | "lifetimes">, KeptAuth {
  readonly fixed: ReturnType<typeof createFixed>;
  readonly live: ReturnType<typeof createLiveCredentials>;
  readonly proxied: Proxied;
}

/** @throws RuntimeError `config.invalid` when what is kept is damaged. */
export function openAuth({ docs, clock, ids, configured, lifetimes }: AuthOptions): AuthStore {
  const localToken = newToken();
  const kept = openKeptAuth(docs);
  const auth: Auth = {
    clock,
    ids,
    lifetimes,
    fixed: createFixed([
      { id: "local", kind: "local", scope: "owner", secret: localToken },
      ...(configured === undefined || configured === ""
        ? []
        : [{ id: "configured", kind: "token", scope: "admin", secret: configured } as const]),
    ]),
    live: createLiveCredentials({
      clock,
      browser: (id) => kept.state().browsers.find((one) => one.id === id),
      isThere: (id) => [...kept.state().tokens, ...kept.state().browsers].some((one) => one.id === id),
      follow: (changed) => docs.watch(AUTH_DOC, changed),
      expired: (id) => void endBrowsers(auth, (one) => one.id === id).catch(leftForLater),
    }),
    proxied: createProxied(),
    ...kept,
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

/** It holds in this process; who comes after it finds it over by its time. */
function leftForLater(): void {}

/** Who comes with what. */
function credentialsOf(auth: Auth): Pick<AuthStore, "bearer" | "browser" | "proxied"> {
  const { fixed, live, clock, proxied } = auth;
  return {
    bearer: (secret) => {
      const digest = digestOf(secret);
      const own = fixed.find(digest);
      const found = findByDigest(auth.state().tokens, digest, tokenDigests);
      if (own !== undefined) return own;
      if (found === undefined) return "invalid";
      const now = clock.now();
      if (found.expiresAt !== undefined && found.expiresAt <= now) return "expired";
      const superseded = !sameDigest(found.digest, digest);
      if (superseded && (found.previous?.until ?? 0) <= now) return "invalid";
      return live.ofToken(found, superseded);
    },
    browser: (cookie, key) => {
      const found = findByDigest(auth.state().browsers, digestOf(cookie), (one) => [one.cookie]);
      const fits = sameDigest(found?.key ?? digestOf(""), digestOf(key));
      if (found === undefined || !fits) return "invalid";
      const now = clock.now();
      if (endOf(found) <= now) {
        endBrowsers(auth, (one) => one.id === found.id).catch(leftForLater);
        return "expired";
      }
      const due = now - found.lastSeenAt >= SEEN_EVERY_MS;
      if (due) noteSeen(auth, found.id, now).catch(leftForLater);
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
    openBrowser: async ({ address, userAgent }, person) => {
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
      await auth.change((state) => ({
        ...state,
        browsers: [...state.browsers.filter((one) => endOf(one) > now || auth.seenAt.has(one.id)), entry],
      }));
      return { credential: live.ofBrowser(entry), cookie, key, expiresAt: endOf(entry), maxAgeMs: maxMs };
    },
    browsers: () => auth.state().browsers.filter((one) => endOf(one) > clock.now()),
    closeBrowser: (id) => endBrowsers(auth, (one) => one.id === id),
    keepBrowsers: async ({ isThere, isVouched }) => {
      proxied.keep(isVouched);
      await endBrowsers(auth, (one) => one.for !== undefined && !isThere(one.for));
    },
    refresh: async (id) => {
      const until = clock.now() + FRESH_MS;
      proxied.refresh(id, until);
      await auth.change((state) => ({
        ...state,
        browsers: state.browsers.map((one) => (one.id === id ? { ...one, freshUntil: until } : one)),
      }));
      return until;
    },
  };
}

/** At once, and durably when it resolves: who asks again after a full disk has it written. @param also Written with it, whoever ends. */
async function endBrowsers(
  auth: Auth,
  gone: (entry: BrowserEntry) => boolean,
  also?: (state: AuthState) => AuthState,
): Promise<boolean> {
  const over = auth.written().browsers.filter(gone);
  if (over.length === 0 && also === undefined) return false;
  for (const { id } of over) auth.ended.add(id);
  for (const { id } of over) auth.live.end(id);
  await auth.change(also ?? ((state) => state));
  return true;
}

async function noteSeen({ seenAt, change }: Auth, id: string, now: number): Promise<void> {
  seenAt.set(id, now);
  await change((state) => ({
    ...state,
    browsers: state.browsers.map((one) => (one.id === id ? { ...one, lastSeenAt: now } : one)),
  }));
  if (seenAt.get(id) === now) seenAt.delete(id);
}

function tokensOf(auth: Auth): Pick<AuthStore, "tokens" | "createToken" | "rotateToken" | "revokeToken"> {
  const { clock, ids, live } = auth;
  /** @returns false when there is none. */
  const replace = async (id: string, next: (token: TokenEntry) => TokenEntry | undefined): Promise<boolean> => {
    if (!auth.state().tokens.some((one) => one.id === id)) return false;
    await auth.change((state) => ({
      ...state,
      tokens: state.tokens.flatMap((one) => (one.id === id ? (next(one) ?? []) : one)),
    }));
    live.end(id);
    return true;
  };
  return {
    tokens: () => auth.state().tokens,
    createToken: async ({ name, scopes, expiresAt, budgetUsdPerDay, for: reader }) => {
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
      await auth.change((state) => ({ ...state, tokens: [...state.tokens, entry] }));
      return { id: entry.id, token };
    },
    rotateToken: async (id, graceMs) => {
      const token = newToken();
      const until = clock.now() + graceMs;
      const isThere = await replace(id, ({ previous: _gone, ...kept }) => ({
        ...kept,
        digest: digestOf(token),
        ...(graceMs > 0 && { previous: { digest: kept.digest, until } }),
      }));
      return isThere ? token : undefined;
    },
    revokeToken: (id) => replace(id, () => undefined),
  };
}

function passwordOf(auth: Auth): Pick<AuthStore, "hasPassword" | "acceptable" | "checkPassword" | "setPassword"> {
  const hasher = createHasher();
  return {
    hasPassword: () => auth.state().password !== undefined,
    acceptable: (typed) => {
      acceptablePassword(typed);
    },
    checkPassword: (typed) => hasher.fits(typed, auth.state().password),
    setPassword: async (typed, keep) => {
      const password = await hasher.make(acceptablePassword(typed));
      const isOther = (one: BrowserEntry): boolean => one.id !== keep;
      await endBrowsers(auth, isOther, (state) => ({ ...state, password }));
    },
  };
}

function tokenDigests({ digest, previous }: TokenEntry): readonly string[] {
  return previous === undefined ? [digest] : [digest, previous.digest];
}
