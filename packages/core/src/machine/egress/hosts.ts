// The hosts a confined program may reach: `tools.exec.network` and `mcpServers.*.network`.

/** A line of such a list. `trusted`: what comes from there is as good as the operator's own word. */
export type EgressEntry = string | { readonly host: string; readonly trusted?: boolean };

/** `example.com`, `*.example.com` or either with a port. Never an address: what it means, nobody reads from it. */
const ENTRY = /^(\*\.)?([a-z0-9_-]{1,63}(?:\.[a-z0-9_-]{1,63})*)(?::(\d{1,5}))?$/;
const NAME = /^[a-z0-9_-]{1,63}(?:\.[a-z0-9_-]{1,63})*$/;
const MAX_NAME_CHARS = 253;
/** Of an entry without a port. */
const WEB_PORTS: readonly number[] = [80, 443];

/** Whether `text` may stand in a list. `*.com` would be the internet, and `*` is. */
export function isEgressEntry(text: string): boolean {
  const [, wild, name = "", port] = ENTRY.exec(text.toLowerCase()) ?? [];
  if (name === "" || name.length > MAX_NAME_CHARS || isNumeric(name)) return false;
  if (port !== undefined && (Number(port) < 1 || Number(port) > 65_535)) return false;
  return wild === undefined || name.includes(".");
}

/**
 * A name as it is compared: lower case, without its final dot. Nothing is decoded or trimmed: a name that needs it is no name.
 * @returns undefined for addresses too, in every spelling.
 */
export function egressName(text: string): string | undefined {
  const name = text.toLowerCase().replace(/\.$/, "");
  return NAME.test(name) && name.length <= MAX_NAME_CHARS && !isNumeric(name) ? name : undefined;
}

/** @param name Of {@link egressName}. @returns the entry that lets it pass; the one that is trusted before others. */
export function entryFor(name: string, port: number, entries: readonly EgressEntry[]): EgressEntry | undefined {
  const found = entries.filter((entry) => {
    const text = typeof entry === "string" ? entry : entry.host;
    const [, wild, wanted = "", its] = ENTRY.exec(text.toLowerCase()) ?? [];
    if (!isEgressEntry(text) || !(its === undefined ? WEB_PORTS.includes(port) : Number(its) === port)) return false;
    return wild === undefined ? name === wanted : name.endsWith(`.${wanted}`);
  });
  return found.find(isTrusted) ?? found[0];
}

export function isTrusted(entry: EgressEntry | undefined): boolean {
  return typeof entry === "object" && entry.trusted === true;
}

/** A last label of digits, or of 0x…, makes an address of it: 127.1, 0x7f.1, 2130706433. */
function isNumeric(name: string): boolean {
  return /(?:^|\.)(?:\d+|0x[0-9a-f]*)$/.test(name);
}

/**
 * Of a name that is on no list: never public, whatever was answered, so that nobody is asked. Of others only their addresses tell, and who
 * looks those up has told the name. @param allowed Exceptions of the operator, with or without a port. @returns why it is refused.
 */
export function notPublic(name: string, port: number, allowed: readonly string[]): string | undefined {
  const isNearby = !name.includes(".") || /\.(?:localhost|local|internal|lan|home\.arpa|invalid|onion)$/.test(name);
  return isNearby && !allowed.includes(name) && !allowed.includes(`${name}:${port}`)
    ? `${name} is not a public address`
    : undefined;
}
