/** The catalog as it holds on this machine: where Ollama's own variable says that it listens. */
import { findVendor, VENDORS } from "./catalog.ts";
import type { Vendor } from "./vendor.ts";

type Env = Readonly<Record<string, string | undefined>>;

export function vendorsHere(env: Env): readonly Vendor[] {
  return VENDORS.map((vendor) => here(vendor, env));
}

export function vendorHere(id: string, env: Env): Vendor | undefined {
  const vendor = findVendor(id);
  return vendor === undefined ? undefined : here(vendor, env);
}

function here(vendor: Vendor, env: Env): Vendor {
  const baseUrl = vendor.id === "ollama" ? ollamaAt(env["OLLAMA_HOST"]) : undefined;
  return baseUrl === undefined ? vendor : { ...vendor, baseUrl };
}

/** Ollama's usual port. */
const PORT = 11_434;

/**
 * `OLLAMA_HOST` as the server reads it: `host`, `host:port`, `:port` or an http address; all addresses of the machine mean
 * loopback to who asks. From docs.ollama.com/faq, from memory, unverified.
 * @returns undefined for another machine, which is not looked at by itself, and for what is no address.
 */
function ollamaAt(host: string | undefined): string | undefined {
  const text = host?.trim().replace(/^http:\/\//i, "") ?? "";
  if (text === "") return undefined;
  const url = URL.parse(`http://${text.startsWith(":") ? `127.0.0.1${text}` : text}`);
  if (url === null || !/^(127\.|0\.0\.0\.0$|localhost$|\[::1?\]$)/.test(url.hostname)) return undefined;
  const name = /^(0\.0\.0\.0|\[::\])$/.test(url.hostname) ? "127.0.0.1" : url.hostname;
  const port = url.port === "" ? (text.endsWith(":80") ? 80 : PORT) : Number(url.port);
  return `http://${name}:${String(port)}/v1`;
}
