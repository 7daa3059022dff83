// The machine's time zone by name. Asking Intl costs 7 ms of every start, reading where /etc/localtime leads a few µs.
import { existsSync, readlinkSync } from "node:fs";

const DATABASE = "/usr/share/zoneinfo";
/** Names that Intl gives as `UTC`. */
const UTC = new Set(["UTC", "Etc/UTC", "Etc/UCT", "Etc/Universal", "Etc/Zulu", "UCT", "Universal", "Zulu"]);

/** An IANA name: the zone that `Date` uses in this process. */
export function systemTimeZone(): string {
  return named(process.env["TZ"]) ?? linked() ?? new Intl.DateTimeFormat().resolvedOptions().timeZone;
}

/** `TZ` may also hold a rule or a file (POSIX): those are Intl's to read. */
function named(name: string | undefined): string | undefined {
  if (name === undefined || !isName(name) || !existsSync(`${DATABASE}/${name}`)) return undefined;
  return UTC.has(name) ? "UTC" : name;
}

function linked(): string | undefined {
  if (process.env["TZ"] !== undefined) return undefined;
  try {
    const name = /\/zoneinfo\/(?:posix\/)?(.+)$/.exec(readlinkSync("/etc/localtime"))?.[1];
    return name === undefined || !existsSync("/etc/localtime") ? undefined : named(name);
  } catch {
    return undefined; // a copy instead of a link, or another system
  }
}

function isName(name: string): boolean {
  return UTC.has(name) || /^[A-Z][A-Za-z]+(?:\/[A-Z][A-Za-z_-]+){1,2}$/.test(name);
}
