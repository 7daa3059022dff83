/** Whether the receiving server vouches for the sender of a mail: RFC 8601, read so that a sender cannot write it himself (CH213). */
import { domainToASCII } from "node:url";
import { flatten, onlyAddressOf, valuesOf, type Header } from "./headers.ts";

/** One result of an `Authentication-Results` header. */
export interface AuthenticationResult {
  /** `spf`, `dkim`, `dmarc`, … */
  readonly method: string;
  /** `pass`, `fail`, `none`, … */
  readonly result: string;
  /** By `ptype.property`, as `header.d`. One that is said twice is not here: nobody knows which is meant. */
  readonly properties: ReadonlyMap<string, string>;
}

/** One `Authentication-Results` header. */
export interface AuthenticationResults {
  /** Who says so, in lower case; empty where the server leaves itself out (Exchange Online). */
  readonly authserv: string;
  readonly results: readonly AuthenticationResult[];
}

/** @returns `undefined` when the value cannot be read without guessing */
export function parseAuthenticationResults(value: string): AuthenticationResults | undefined {
  const flat = flatten(value);
  if (flat === undefined) return undefined;
  const segments = flat.split(";").map((segment) => segment.replace(/\s*([=/])\s*/g, "$1").trim());
  const [first = "", ...rest] = segments;
  const named = /^([^\s=/]+)(?: +\d+)?$/.exec(first);
  if (named === null && !first.includes("=")) return undefined;
  const results = (named === null ? segments : rest).map(parseResult).filter((result) => result !== undefined);
  return { authserv: named?.[1]?.toLowerCase() ?? "", results };
}

function parseResult(segment: string): AuthenticationResult | undefined {
  const [head = "", ...words] = segment.split(/ +/);
  const [, method, result] = /^([a-z0-9-]+)(?:\/\d+)?=([a-z]+)$/i.exec(head) ?? [];
  if (method === undefined || result === undefined) return undefined;
  const properties = new Map<string, string>();
  const twice = new Set<string>();
  for (const word of words) {
    const [, name, value] = /^([a-z0-9-]+\.[a-z0-9_-]+)=(.*)$/i.exec(word) ?? [];
    if (name === undefined || value === undefined) continue;
    const key = name.toLowerCase();
    if (properties.has(key)) twice.add(key);
    properties.set(key, value);
  }
  for (const key of twice) properties.delete(key);
  return { method: method.toLowerCase(), result: result.toLowerCase(), properties };
}

/** What {@link isAuthentic} asks. */
export interface AuthenticationQuestion {
  /** Of the whole mail, topmost first. */
  readonly headers: readonly Header[];
  /** The address that is to be admitted. */
  readonly from: string;
  /** The name under which the receiving server speaks; absent: whoever is topmost, which is right where that server always adds one. */
  readonly trustedAuthserv?: string;
}

/**
 * Whether the mail comes from the domain of its `From`. One header counts: the topmost of the trusted server, since servers put
 * theirs above what came with the mail. dmarc=pass is enough; dmarc=none or none at all leaves an aligned pass of SPF or DKIM.
 */
export function isAuthentic({ headers, from, trustedAuthserv }: AuthenticationQuestion): boolean {
  const senders = valuesOf(headers, "from");
  const sender = senders.length === 1 ? onlyAddressOf(senders[0] ?? "") : undefined;
  if (sender === undefined || sender !== from.trim().toLowerCase()) return false;
  const domain = domainOf(sender);
  const verdict = topmost(valuesOf(headers, "authentication-results"), trustedAuthserv);
  if (domain === undefined || verdict === undefined) return false;
  const dmarc = verdict.results.filter(({ method }) => method === "dmarc");
  if (dmarc.length > 1) return false; // one of them was smuggled in
  const [policy] = dmarc;
  if (policy !== undefined && policy.result !== "none") {
    const about = policy.properties.get("header.from");
    return policy.result === "pass" && (about === undefined || domainOf(about) === domain);
  }
  return verdict.results.some((result) => result.result === "pass" && isAligned(result, domain));
}

/** An unreadable header above is not stepped over: it may be the one that says fail. */
function topmost(values: readonly string[], trusted: string | undefined): AuthenticationResults | undefined {
  const wanted = trusted?.trim().toLowerCase();
  if (wanted === undefined || wanted === "") return parseAuthenticationResults(values[0] ?? "");
  for (const value of values) {
    const parsed = parseAuthenticationResults(value);
    if (parsed === undefined || parsed.authserv === wanted) return parsed;
  }
  return undefined;
}

function isAligned({ method, properties }: AuthenticationResult, from: string): boolean {
  const said =
    method === "dkim"
      ? (properties.get("header.d") ?? properties.get("header.i"))
      : method === "spf"
        ? properties.get("smtp.mailfrom")
        : undefined;
  const domain = said === undefined ? undefined : domainOf(said);
  // Without the list of public suffixes only these two are sure to be of one organization.
  return domain !== undefined && (domain === from || from.endsWith(`.${domain}`) || domain.endsWith(`.${from}`));
}

/** Of an address or a bare domain, in ASCII. A name without a dot is nobody's: `com` signs for no one. */
function domainOf(address: string): string | undefined {
  const domain = domainToASCII(address.slice(address.lastIndexOf("@") + 1).replace(/\.$/, "")).toLowerCase();
  return /^[a-z0-9-]+(?:\.[a-z0-9-]+)+$/.test(domain) ? domain : undefined;
}
