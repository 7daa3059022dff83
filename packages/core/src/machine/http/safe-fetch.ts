// The one way to a URL that a model, a page or a chat platform names: checked, pinned, bounded.
import type { Duplex } from "node:stream";
import { RuntimeError } from "../../lib/errors/errors.ts";
import { checkedAddresses, codeOf, MAX_TRIES, type AddressCheck, UNREACHED, unreachable } from "./checked-addresses.ts";
import { exchange, type RawResponse, type SafeRequest } from "./safe-exchange.ts";
import { cleanUrl, hostOf, isAllowedHost, parseUrl, portOf, type Refusal } from "./safe-url.ts";

const MAX_REDIRECTS = 5;
const TOTAL_MS = 30_000;

export interface SafeFetchOptions extends AddressCheck {
  /** Opens the connection to an address that was checked. Default: TCP. */
  readonly connect?: (address: string, port: number) => Duplex;
}
export interface SafeResponse extends RawResponse {
  /** The last URL, after redirects. */
  readonly url: string;
  /** Where it leads on, when that is another host and `sameHost` was asked for. */
  readonly elsewhere?: string;
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
  let { allowHosts = [] } = options;
  for (let redirects = 0; ; redirects++) {
    if ("refusal" in parsed) return { status: "refused", refusal: parsed.refusal };
    const { url } = parsed;
    // The operator's exceptions are for who names such a host, not for whoever redirects there.
    if (!isAllowedHost(url, allowHosts)) allowHosts = [];
    const checked = await checkedAddresses(url, { ...options, allowHosts }, signal);
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
    if (!("url" in parsed) || parsed.url.origin === url.origin) continue;
    if (first.sameHost === true && nameOf(parsed.url) !== nameOf(url))
      return { status: "ok", response: { ...raw, url: url.href, elsewhere: parsed.url.href } };
    request = {};
  }
}

/** `www.` is how a host names itself, and belongs to whoever has the name below it. */
function nameOf(url: URL): string {
  return hostOf(url).replace(/^www\./, "");
}

const REDIRECTS: ReadonlySet<number> = new Set([301, 302, 303, 307, 308]);

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

function dial(address: string, port: number): Duplex {
  // An address, not a name: nothing is resolved a second time.
  return process.getBuiltinModule("node:net").connect({ host: address, port });
}

function refused(fact: string, next: string): SafeResult {
  return { status: "refused", refusal: { fact, next } };
}
