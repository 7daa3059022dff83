/** The client's address: of the connection, or what a trusted proxy says of it. Used for limits and audit, never for trust. */
import { BlockList, isIP } from "node:net";

/** @param networks CIDR, as the configuration checked them. */
export function isIn(networks: readonly string[], address: string): boolean {
  if (networks.length === 0) return false;
  const list = new BlockList();
  for (const network of networks) {
    const [base = "", bits] = network.split("/");
    const family = isIP(base) === 6 ? "ipv6" : "ipv4";
    list.addSubnet(base, Number(bits ?? (family === "ipv6" ? 128 : 32)), family);
  }
  return list.check(address, isIP(address) === 6 ? "ipv6" : "ipv4");
}

/** The rightmost hop that is not a trusted proxy. */
export function clientAddress(
  remote: string | undefined,
  forwarded: string | readonly string[] | undefined,
  trusted: readonly string[],
): string {
  let address = plainAddress(remote ?? "");
  const hops = (typeof forwarded === "string" ? forwarded : (forwarded ?? []).join(",")).split(",");
  while (hops.length > 0 && isIn(trusted, address)) {
    const hop = plainAddress((hops.pop() ?? "").trim());
    if (isIP(hop) === 0) break;
    address = hop;
  }
  return address;
}

/** IPv4 on a dual-stack socket is written as IPv4. */
export function plainAddress(address: string): string {
  return address.startsWith("::ffff:") ? address.slice(7) : address;
}

/** What is counted as one client: an IPv4 address, or the /64 a network gives one subscriber. */
export function clientKey(address: string): string {
  if (isIP(address) !== 6) return address;
  const [head = "", tail] = address.split("::");
  const groups = head.split(":").filter((one) => one !== "");
  const rest = tail === undefined ? [] : tail.split(":").filter((one) => one !== "");
  const all =
    tail === undefined ? groups : [...groups, ...Array<string>(8 - groups.length - rest.length).fill("0"), ...rest];
  return all
    .slice(0, 4)
    .map((one) => Number.parseInt(one, 16).toString(16))
    .join(":");
}
