/** Where a provider may be: https anywhere public; this machine and the local network when it is said so. */
import { isAddress, isPublicAddress } from "@margay/core/internal";

export type AddressFault = "url" | "credentials" | "reserved" | "plain" | "private";

/**
 * @param allowPrivate The operator said that this address is meant to be a local one.
 * @returns what is wrong with it; undefined: it may be used.
 */
export function addressFault(address: string, allowPrivate: boolean): AddressFault | undefined {
  const url = URL.parse(address);
  if (url === null || (url.protocol !== "https:" && url.protocol !== "http:")) return "url";
  if (url.username !== "" || url.password !== "") return "credentials";
  const host = url.hostname.replace(/^\[|\]$/g, "").replace(/\.$/, "");
  // Cloud metadata and "any address": nobody runs a model there.
  if (/^(169\.254\.|0\.|fe[89ab][0-9a-f]:|::$|::ffff:)/i.test(host)) return "reserved";
  const local = isLocal(host);
  if (url.protocol === "http:" && !local) return "plain";
  return local && !allowPrivate ? "private" : undefined;
}

/** By its name or number; nothing is looked up. */
function isLocal(host: string): boolean {
  if (isAddress(host)) return !isPublicAddress(host);
  return host === "localhost" || /\.(local|lan|internal|home\.arpa|localhost)$/i.test(host) || !host.includes(".");
}
