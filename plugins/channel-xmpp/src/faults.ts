/** What the server's refusals mean, and what a person can do about them. */
import type { ChannelFaultKind, ChannelHost } from "@margay/core/plugin";
import { NS, type Stanza } from "./names.ts";
import type { Settings } from "./settings.ts";

/** The connection is not there, and nothing left: the piece can be sent again. */
export function notConnected(settings: Settings, host: ChannelHost): Error {
  return host.fault("again", `There is no connection to ${settings.domain}. It is tried again when there is one.`, {
    sent: "no",
  });
}

/** The piece left, and nobody said that it arrived. */
export function unanswered(settings: Settings, host: ChannelHost, cause?: unknown): Error {
  return host.fault(
    "again",
    `${settings.domain} did not say that it has the message. It is looked for, then sent again.`,
    {
      sent: "maybe",
      cause,
    },
  );
}

/** Why there is no connection. */
export function connectFault(error: unknown, settings: Settings, host: ChannelHost): Error {
  const { domain, jid } = settings;
  const condition = fieldOf(error, "condition");
  const text = error instanceof Error ? error.message : String(error);
  const options = { cause: error, sent: "no" } as const;
  if (fieldOf(error, "name") === "SASLError" && condition !== "temporary-auth-failure")
    return host.fault(
      "auth",
      `${domain} refused the login of ${jid}: ${text}. Check options.jid and options.password.`,
      options,
    );
  const code = String(fieldOf(error, "code"));
  if (code === "NO_TLS")
    return host.fault(
      "config",
      `${domain} offers no encryption. Choose another server, or options.security tls.`,
      options,
    );
  if (isCertificate(code, text))
    return host.fault(
      "config",
      `The certificate of ${domain} is not to be trusted: ${text.replace(NODE_HINT, "")}. ${certificateCure(code)}`,
      options,
    );
  if (condition === "host-unknown")
    return host.fault("config", `The server does not know ${domain}. Check options.jid and options.host.`, options);
  // Whoever logged in later has it: to take it back would be a fight. A login that is refused so may only find our last one there.
  if (condition === "conflict")
    return host.fault(
      fieldOf(error, "name") === "StreamError" ? "config" : "again",
      `Another program uses ${jid} with our resource: it works with a copy of this folder. End it and start this one again, or give each an account.`,
      options,
    );
  return host.fault("again", `${domain} cannot be used: ${text}. It is tried again.`, options);
}

/** RFC 6120, 8.3.3: of a message that came back. */
export function refusal(stanza: Stanza, to: string, host: ChannelHost): Error {
  const error = stanza.getChild("error");
  const condition = error
    ?.getChildElements()
    .find((child) => child.getNS() === NS.stanzaErrors && child.name !== "text");
  const name = condition?.name ?? "undefined-condition";
  const said = error?.getChildText("text", NS.stanzaErrors) ?? undefined;
  const text = `The message to ${to} came back: ${name}${said === undefined ? "" : ` (${said})`}. ${cureOf(name)}`;
  return host.fault(kindOf(name, error?.attrs["type"]), text, { sent: "no", answered: true });
}

const GONE = ["item-not-found", "gone", "remote-server-not-found", "jid-malformed"];
const LATER = [
  "remote-server-timeout",
  "resource-constraint",
  "internal-server-error",
  "policy-violation",
  "recipient-unavailable",
];

function kindOf(condition: string, type: string | undefined): ChannelFaultKind {
  if (GONE.includes(condition)) return "gone";
  // Not in the room (any more): it is joined again with the next connection.
  if (condition === "not-acceptable") return "again";
  return type === "wait" || LATER.includes(condition) ? "again" : "refused";
}

function cureOf(condition: string): string {
  if (GONE.includes(condition)) return "Check the address.";
  if (condition === "not-acceptable") return "It is tried again when we are in the room.";
  if (condition === "service-unavailable") return "There is no such account, or it does not take messages of ours.";
  return "Ask whoever runs the server, or the other side.";
}

/** A switch of Node that nobody can reach here. */
const NODE_HINT = /;? *if the root CA is installed.*$/;

function certificateCure(code: string): string {
  if (/^CERT_(?:HAS_EXPIRED|NOT_YET_VALID)$/.test(code))
    return "Whoever runs the server has to renew it, or the clock of this machine is wrong.";
  const check = "Check options.jid, options.host and options.port.";
  if (code === "ERR_TLS_CERT_ALTNAME_INVALID") return check;
  return `${check} Where your own authority has signed it, start margay with NODE_EXTRA_CA_CERTS=FILE, a file with the certificate of that authority.`;
}

function isCertificate(code: string, text: string): boolean {
  return (
    /^(?:CERT_|ERR_TLS_CERT|DEPTH_ZERO|SELF_SIGNED|UNABLE_TO_(?:VERIFY|GET_ISSUER))/.test(code) ||
    /wrong version number|altnames/i.test(text)
  );
}

/** A field of an error of the library. */
export function fieldOf(error: unknown, name: string): unknown {
  return typeof error === "object" && error !== null ? (error as Record<string, unknown>)[name] : undefined; // looked at by the caller
}
