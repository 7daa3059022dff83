/** The settings of one account, as `channel.json` describes them. */
import type { ChannelHost, ChannelOptions, Json } from "@margay/core/plugin";

/** `tls`: from the first byte. `starttls`: begun in the clear, and refused when the server has no TLS. `none`: this machine only. */
export type Security = "tls" | "starttls" | "none";

export interface Server {
  readonly host: string;
  readonly port: number;
  readonly security: Security;
  readonly user: string;
  readonly password: string;
}

export interface Settings {
  readonly imap: Server & { readonly mailbox: string };
  readonly smtp: Server;
  /** The address that mails come from. */
  readonly from: string;
  /** Its domain. */
  readonly domain: string;
  /** Only mails whose sender the receiving server has proved are taken. */
  readonly requireAuthenticated: boolean;
  /** The name under which the receiving server says so. */
  readonly authserv: string | undefined;
  /** What becomes of a mail that was taken: `none`, `seen`, or a folder that it is moved to. */
  readonly after: "none" | "seen" | { readonly moveTo: string };
  /** Each thread of mails is a conversation, or all mails of a person are one. */
  readonly session: "perThread" | "perChat";
}

const PORTS = { imap: { tls: 993, starttls: 143, none: 143 }, smtp: { tls: 465, starttls: 587, none: 25 } } as const;

/** @throws a fault `config`. */
export function settingsOf({ id, settings }: ChannelOptions, host: ChannelHost): Settings {
  const text = (name: string): string | undefined => textOf(settings[name]);
  const wrong = (what: string, cure: string): Error =>
    host.fault("config", `channels.${id}: ${what} ${cure}`, { sent: "no" });
  const needed = (name: string): string => {
    const value = text(name);
    if (value === undefined) throw wrong(`options.${name} is missing.`, "Set it.");
    return value;
  };
  const server = (kind: "imap" | "smtp", usual: Security): Server => {
    const address = needed(`${kind}Host`);
    const security = (text(`${kind}Security`) ?? usual) as Security; // its choices are in the manifest
    // A password in the clear is read by everybody on the way.
    if (security === "none" && !isLoopback(address))
      throw wrong(`options.${kind}Security is none, and ${address} is another machine.`, "Choose tls or starttls.");
    const port = settings[`${kind}Port`];
    return {
      host: address,
      port: typeof port === "number" ? port : PORTS[kind][security],
      security,
      user: needed("user"),
      password: (kind === "smtp" ? text("smtpPassword") : undefined) ?? needed("password"),
    };
  };
  const from = (text("from") ?? needed("user")).trim().toLowerCase();
  const domain = /^[^\s@<>]+@([^\s@<>]+)$/.exec(from)?.[1];
  if (domain === undefined) throw wrong(`${from} is no address.`, "Set options.from to the address of the account.");
  const after = text("after") ?? "none";
  return {
    imap: { ...server("imap", "tls"), mailbox: text("mailbox") ?? "INBOX" },
    smtp: server("smtp", "tls"),
    from,
    domain,
    requireAuthenticated: settings["requireAuthenticated"] !== false,
    authserv: text("authserv")?.toLowerCase(),
    after: after.startsWith("move:") ? { moveTo: after.slice(5) } : after === "seen" ? "seen" : "none",
    session: text("session") === "perChat" ? "perChat" : "perThread",
  };
}

function textOf(value: Json | undefined): string | undefined {
  return typeof value === "string" && value.trim() !== "" ? value.trim() : undefined;
}

function isLoopback(address: string): boolean {
  return address === "localhost" || address === "::1" || /^127\.\d+\.\d+\.\d+$/.test(address);
}
