// Which addresses of a URL's host may be dialed: the one check for all that leaves at somebody else's word.
import type { Clock } from "../../contract/base.ts";
import { messageOf, RuntimeError } from "../../lib/errors/errors.ts";
import { isAddress, isInNetwork, isPublicAddress } from "./addresses.ts";
import { hostOf, isAllowedHost, type Refusal } from "./safe-url.ts";

const RESOLVE_MS = 10_000;
/** Addresses of one host that are tried when it does not answer. */
export const MAX_TRIES = 3;
/** Failures before anything was sent: another address of the host may do. */
export const UNREACHED: ReadonlySet<string> = new Set([
  "ECONNREFUSED",
  "ENETUNREACH",
  "EHOSTUNREACH",
  "ETIMEDOUT",
  "EADDRNOTAVAIL",
]);

export interface AddressCheck {
  readonly clock: Clock;
  /** The operator's exceptions (`tools.webFetch.allowHosts`): `host` or `host:port`, exact. */
  readonly allowHosts?: readonly string[];
  /** All addresses of a name. Default: the system's resolver. */
  readonly resolve?: (host: string) => Promise<readonly string[]>;
  /** Networks of this machine's interfaces, `address/length`. Default: asked of the system. */
  readonly ownNetworks?: () => readonly string[];
}
export type Checked = { readonly addresses: readonly string[] } | { readonly refusal: Refusal };

/**
 * Every address a name has must be public: which of them would be dialed at the next try is not ours to choose. Whoever dials
 * takes one of the answer and resolves nothing again.
 * @throws RuntimeError `tool.failed`, retryable, when the resolver did not answer; the signal's reason.
 */
export async function checkedAddresses(url: URL, options: AddressCheck, signal: AbortSignal): Promise<Checked> {
  const host = hostOf(url);
  const isAllowed = isAllowedHost(url, options.allowHosts ?? []);
  const own = isAllowed ? [] : (options.ownNetworks ?? systemNetworks)();
  const isOpen = (address: string): boolean =>
    isAllowed || (isPublicAddress(address) && !own.some((network) => isOwn(address, network)));
  if (isAddress(host)) return isOpen(host) ? { addresses: [host] } : notPublic(host);
  if (!isAllowed && (host === "localhost" || host.endsWith(".localhost"))) return notPublic(host);
  // As written: a final dot keeps the resolver from trying search domains. The operator's own exceptions may stand in a hosts
  // file, which knows no final dots.
  const addresses = await resolveInTime(isAllowed ? host : url.hostname, options, signal);
  if (addresses.length === 0) {
    return { refusal: { fact: `${host} does not exist`, next: "check the spelling or search for the page" } };
  }
  return addresses.every(isOpen) ? { addresses } : notPublic(host);
}

/** IPv6 gives each machine of a home or office a public address: a network this small is ours. */
const OWN_PREFIX = 56;

/** Through its own public address a machine reaches what it keeps from the outside, and through its prefix its neighbors. */
function isOwn(address: string, network: string): boolean {
  const [own = "", length = ""] = network.split("/");
  return isInNetwork(
    address,
    own.includes(":") && Number(length) >= OWN_PREFIX ? network : `${own}/${own.includes(":") ? 128 : 32}`,
  );
}

function systemNetworks(): readonly string[] {
  const { networkInterfaces } = process.getBuiltinModule("node:os");
  return Object.values(networkInterfaces()).flatMap((all = []) => all.flatMap(({ cidr }) => cidr ?? []));
}

function notPublic(host: string): Checked {
  return { refusal: { fact: `${host} is not a public address`, next: "do not retry; ask the operator to allow it" } };
}

async function resolveInTime(host: string, options: AddressCheck, signal: AbortSignal): Promise<readonly string[]> {
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

export function unreachable(host: string, error: unknown): RuntimeError {
  const reason = codeOf(error) ?? messageOf(error);
  return new RuntimeError("tool.failed", `${host} could not be reached (${reason}). Try again later or another page.`, {
    retryable: true,
    cause: error,
  });
}

export function codeOf(error: unknown): string | undefined {
  return error instanceof Error && "code" in error && typeof error.code === "string" ? error.code : undefined;
}
