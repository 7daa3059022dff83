// Which IP addresses belong to the public internet. What is not clearly public is not.

/** IPv4 blocks that are not, or not safely, public: IANA special-purpose registry (2025-10), and Azure's host address. */
const CLOSED_V4: readonly string[] = [
  "0.0.0.0/8",
  "10.0.0.0/8",
  "100.64.0.0/10",
  "127.0.0.0/8",
  "168.63.129.16/32", // Azure: the host's own services, reachable from every guest
  "169.254.0.0/16",
  "172.16.0.0/12",
  "192.0.0.0/24",
  "192.0.2.0/24",
  "192.88.99.0/24",
  "192.168.0.0/16",
  "198.18.0.0/15",
  "198.51.100.0/24",
  "203.0.113.0/24",
  "224.0.0.0/4",
  "240.0.0.0/4",
];
/** Inside 2000::/3; everything outside it is closed: mapped, NAT64, unique local, link-local, multicast. */
const CLOSED_V6: readonly string[] = [
  "2001::/23", // protocol assignments: Teredo, benchmarking, ORCHID
  "2001:db8::/32",
  "2002::/16", // 6to4: an IPv4 address in disguise
  "3fff::/20",
];

/** `address`: dotted IPv4 or IPv6, without brackets. A zone or any other spelling is not public. */
export function isPublicAddress(address: string): boolean {
  const v4 = parseV4(address);
  if (v4 !== undefined) return !CLOSED_V4.some((block) => isIn(v4, block));
  const v6 = parseV6(address);
  return v6 !== undefined && isIn(v6, "2000::/3") && !CLOSED_V6.some((block) => isIn(v6, block)) && !isIsatap(v6);
}

/** Whether `address` lies in `network`: `a.b.c.d/n` or `a:b::/n`. */
export function isInNetwork(address: string, network: string): boolean {
  const bytes = parseV4(address) ?? parseV6(address);
  return bytes !== undefined && isIn(bytes, network);
}

export function isAddress(text: string): boolean {
  return parseV4(text) !== undefined || parseV6(text) !== undefined;
}

type Bytes = readonly number[];

function parseV4(text: string): Bytes | undefined {
  const parts = text.split(".");
  if (parts.length !== 4 || !parts.every((part) => /^(?:0|[1-9]\d{0,2})$/.test(part))) return undefined;
  const bytes = parts.map(Number);
  return bytes.every((byte) => byte <= 255) ? bytes : undefined;
}

function parseV6(text: string): Bytes | undefined {
  // The last 32 bits may be written as IPv4.
  const dotted = /^(.*:)(\d+\.\d+\.\d+\.\d+)$/.exec(text);
  const tail = dotted === null ? undefined : parseV4(dotted[2] ?? "");
  if (dotted !== null && tail === undefined) return undefined;
  const plain = tail === undefined ? text : `${dotted?.[1] ?? ""}0:0`;
  const halves = plain.split("::");
  if (halves.length > 2 || !plain.includes(":")) return undefined;
  const [before = [], after = []] = halves.map((half) => (half === "" ? [] : half.split(":")));
  const missing = 8 - before.length - after.length;
  if (halves.length === 2 ? missing < 1 : missing !== 0) return undefined;
  const groups = [...before, ...Array.from({ length: missing }, () => "0"), ...after];
  if (!groups.every((group) => /^[0-9a-fA-F]{1,4}$/.test(group))) return undefined;
  const bytes = groups.flatMap((group) => [Number.parseInt(group, 16) >> 8, Number.parseInt(group, 16) & 255]);
  return tail === undefined ? bytes : [...bytes.slice(0, 12), ...tail];
}

/** An interface identifier that holds an IPv4 address, which a router of that kind sends the packet to: RFC 5214. */
function isIsatap(v6: Bytes): boolean {
  const [first, ...rest] = v6.slice(8, 12);
  return (first === 0 || first === 2) && rest.join(".") === "0.94.254";
}

function isIn(bytes: Bytes, block: string): boolean {
  const [network = "", length = ""] = block.split("/");
  const base = parseV4(network) ?? parseV6(network) ?? [];
  if (base.length !== bytes.length) return false;
  let left = Number(length);
  return base.every((byte, index) => {
    const bits = Math.max(0, Math.min(8, left));
    left -= 8;
    return byte >> (8 - bits) === (bytes[index] ?? 0) >> (8 - bits);
  });
}
