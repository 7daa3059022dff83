/** What is set for one account, checked. */
import type { ChannelHost, ChannelOptions, Json } from "@margay/core/plugin";

/** `tls`: from the first byte. `starttls`: begun in the clear, and refused when the server has no TLS. `none`: this machine only. */
export type Security = "tls" | "starttls" | "none";

/** One account of the configuration. */
export interface Settings {
  /** Our bare address. */
  readonly jid: string;
  readonly local: string;
  readonly domain: string;
  readonly password: string;
  /** Absent: the DNS of the domain says it. */
  readonly host: string | undefined;
  readonly port: number | undefined;
  readonly security: Security;
  /** Who we are in rooms. */
  readonly nickname: string;
  readonly rooms: readonly string[];
}

const ADDRESS = /^([^\s@/"&'<>:]+)@([^\s@/"&'<>]+)$/;

/** @throws a fault `config`. */
export function settingsOf({ id, settings }: ChannelOptions, host: ChannelHost): Settings {
  const wrong = (what: string, cure: string): Error =>
    host.fault("config", `channels.${id}: ${what} ${cure}`, { sent: "no" });
  const text = (name: string): string | undefined => textOf(settings[name]);
  const jid = text("jid")?.toLowerCase();
  const password = settings["password"];
  if (jid === undefined) throw wrong("options.jid is missing.", "Set it to the address of the account.");
  if (typeof password !== "string" || password === "") throw wrong("options.password is missing.", "Set it.");
  const [, local, domain] = ADDRESS.exec(jid) ?? [];
  if (local === undefined || domain === undefined)
    throw wrong(`${jid} is no address of an account.`, "Set options.jid as margay@example.org.");
  const security = (text("security") ?? "starttls") as Security; // its choices are in the manifest
  const server = text("host");
  // Whoever is on the way could read and write in our name.
  if (security === "none" && !isLoopback(server ?? domain))
    throw wrong(`options.security is none, and ${server ?? domain} is another machine.`, "Choose tls or starttls.");
  const listed = settings["rooms"];
  const rooms = (Array.isArray(listed) ? listed : []).flatMap((room) => textOf(room)?.toLowerCase() ?? []);
  const bad = rooms.find((room) => !isBare(room));
  if (bad !== undefined) throw wrong(`${bad} is no address of a room.`, "Write rooms as room@conference.example.org.");
  const { port } = settings;
  return {
    jid,
    local,
    domain,
    password,
    host: server,
    port: typeof port === "number" ? port : undefined,
    security,
    nickname: text("nickname") ?? local,
    rooms: [...new Set(rooms)],
  };
}

/** An address of an account or a room, without a resource. */
export function isBare(address: string): boolean {
  return ADDRESS.test(address);
}

/** Without the resource, and in the one case that addresses are compared in. */
export function bareOf(address: string): string {
  const [bare = ""] = address.split("/", 1);
  return bare.toLowerCase();
}

/** What is behind the first slash: the resource of an account, the nickname in a room. */
export function resourceOf(address: string): string | undefined {
  const slash = address.indexOf("/");
  return slash === -1 ? undefined : address.slice(slash + 1);
}

function textOf(value: Json | undefined): string | undefined {
  return typeof value === "string" && value.trim() !== "" ? value.trim() : undefined;
}

function isLoopback(address: string): boolean {
  return address === "localhost" || address === "::1" || /^127\.\d+\.\d+\.\d+$/.test(address);
}
