// The one way to a URL that a model, a page or a chat platform names: checked, pinned, bounded (R113, WB1–WB10).
import type { Duplex } from "node:stream";
import type { Clock } from "../contract/base.ts";
import { messageOf, RuntimeError } from "../lib/errors.ts";
import { isAddress, isPublicAddress } from "./addresses.ts";
import { exchange, type RawResponse, type SafeRequest } from "./safe-exchange.ts";
import { cleanUrl, hostOf, isAllowedHost, parseUrl, portOf, type Refusal } from "./safe-url.ts";

const MAX_REDIRECTS = 5;
const TOTAL_MS = 30_000;
const RESOLVE_MS = 10_000;
/** Addresses of one host that are tried when it does not answer. */
const MAX_TRIES = 3;

export interface SafeFetchOptions {
  readonly clock: Clock;
  /** The operator's exceptions (`tools.webFetch.allowHosts`): `host` or `host:port`, exact. */
  readonly allowHosts?: readonly string[];
  /** All addresses of a name. Default: the system's resolver. */
  readonly resolve?: (host: string) => Promise<readonly string[]>;
  /** Opens the connection to an address that was checked. Default: TCP. */
  readonly connect?: (address: string, port: number) => Duplex;
}
export interface SafeResponse extends RawResponse {
  /** The last URL, after redirects. */
  readonly url: string;
}
/** Refusals are final: asking again gives the same answer. */
export type SafeResult =
  | { readonly status: "ok"; readonly response: SafeResponse }
  | { readonly status: "refused"; readonly refusal: Refusal };

/**
 * Never follows the environment's proxy variables, never sends cookies, never reuses a connection.
 * @throws RuntimeError `tool.failed`, retryable, when the host did not answer; the signal's reason.
 */
export type SafeFetch = (url: string, request: SafeRequest, signal: AbortSignal) => Promise<SafeResult>;

export function createSafeFetch(options: SafeFetchOptions): SafeFetch {
  return async (text, request, signal) => {
    const ended = new AbortController();
    const deadline = AbortSignal.any([signal, ended.signal]);
    const late = new RuntimeError(
      "tool.failed",
      "The page did not arrive within 30 s. Try again later or another page.",
      {
        retryable: true,
      },
    );
    options.clock.sleep(TOTAL_MS, deadline).then(
      () => ended.abort(late),
      () => undefined, // finished in time
    );
    try {
      return await follow(cleanUrl(text), request, options, deadline);
    } catch (error) {
      signal.throwIfAborted();
      throw error;
    } finally {
      ended.abort(late);
    }
  };
}

async function follow(
  text: string,
  first: SafeRequest,
  options: SafeFetchOptions,
  signal: AbortSignal,
): Promise<SafeResult> {
  let parsed = parseUrl(text);
  let request = first;
  for (let redirects = 0; ; redirects++) {
    if ("refusal" in parsed) return { status: "refused", refusal: parsed.refusal };
    const { url } = parsed;
    const checked = await addressesOf(url, options, signal);
    if ("refusal" in checked) return { status: "refused", refusal: checked.refusal };
    const raw = await tryAddresses(url, checked.addresses, request, options, signal);
    const location = raw.headers["location"];
    if (!REDIRECTS.has(raw.status) || location === undefined) {
      return { status: "ok", response: { ...raw, url: url.href } };
    }
    if (redirects === MAX_REDIRECTS) return refused(`${hostOf(url)} redirects more than 5 times`, "use another URL");
    if (location.trim() === "") return refused(`${hostOf(url)} redirects to nothing`, "use another URL");
    if (first.body !== undefined) return refused(`${hostOf(url)} redirects a request with a body`, "use another URL");
    parsed = parseUrl(location, url);
    if ("url" in parsed && parsed.url.origin !== url.origin) request = {};
  }
}

const REDIRECTS: ReadonlySet<number> = new Set([301, 302, 303, 307, 308]);

type Checked = { readonly addresses: readonly string[] } | { readonly refusal: Refusal };

/** Every address a name has must be public: which of them would be dialed at the next try is not ours to choose. */
async function addressesOf(url: URL, options: SafeFetchOptions, signal: AbortSignal): Promise<Checked> {
  const host = hostOf(url);
  const isAllowed = isAllowedHost(url, options.allowHosts ?? []);
  if (isAddress(host)) return isAllowed || isPublicAddress(host) ? { addresses: [host] } : notPublic(host);
  if (!isAllowed && (host === "localhost" || host.endsWith(".localhost"))) return notPublic(host);
  // As written: a final dot keeps the resolver from trying search domains.
  const addresses = await resolveInTime(url.hostname, options, signal);
  if (addresses.length === 0) {
    return { refusal: { fact: `${host} does not exist`, next: "check the spelling or search for the page" } };
  }
  return isAllowed || addresses.every(isPublicAddress) ? { addresses } : notPublic(host);
}

function notPublic(host: string): Checked {
  return { refusal: { fact: `${host} is not a public address`, next: "do not retry; ask the operator to allow it" } };
}

async function resolveInTime(host: string, options: SafeFetchOptions, signal: AbortSignal): Promise<readonly string[]> {
  const ended = new AbortController();
  const late = options.clock.sleep(RESOLVE_MS, AbortSignal.any([signal, ended.signal])).then(() => {
    throw new RuntimeError("tool.failed", `The name ${host} could not be resolved within 10 s. Try again later.`, {
      retryable: true,
    });
  });
  try {
    return await Promise.race([(options.resolve ?? systemResolve)(host), late]);
  } catch (error) {
    signal.throwIfAborted();
    if (codeOf(error) === "ENOTFOUND") return [];
    if (error instanceof RuntimeError) throw error;
    throw unreachable(host, error);
  } finally {
    ended.abort(new Error("resolved"));
  }
}

async function systemResolve(host: string): Promise<readonly string[]> {
  const { lookup } = process.getBuiltinModule("node:dns").promises;
  return (await lookup(host, { all: true })).map((entry) => entry.address);
}

async function tryAddresses(
  url: URL,
  addresses: readonly string[],
  request: SafeRequest,
  options: SafeFetchOptions,
  signal: AbortSignal,
): Promise<RawResponse> {
  const connect = options.connect ?? dial;
  let failure: unknown;
  for (const address of addresses.slice(0, MAX_TRIES)) {
    try {
      return await exchange(url, request, () => connect(address, portOf(url)), signal);
    } catch (error) {
      signal.throwIfAborted();
      failure = error;
      if (!UNREACHED.has(codeOf(error) ?? "")) break;
    }
  }
  throw unreachable(hostOf(url), failure);
}

/** Failures before anything was sent: another address of the host may do. */
const UNREACHED: ReadonlySet<string> = new Set([
  "ECONNREFUSED",
  "ENETUNREACH",
  "EHOSTUNREACH",
  "ETIMEDOUT",
  "EADDRNOTAVAIL",
]);

function dial(address: string, port: number): Duplex {
  // An address, not a name: nothing is resolved a second time.
  return process.getBuiltinModule("node:net").connect({ host: address, port });
}

function unreachable(host: string, error: unknown): RuntimeError {
  const reason = codeOf(error) ?? messageOf(error);
  return new RuntimeError("tool.failed", `${host} could not be reached (${reason}). Try again later or another page.`, {
    retryable: true,
    cause: error,
  });
}

function refused(fact: string, next: string): SafeResult {
  return { status: "refused", refusal: { fact, next } };
}

function codeOf(error: unknown): string | undefined {
  return error instanceof Error && "code" in error && typeof error.code === "string" ? error.code : undefined;
}
