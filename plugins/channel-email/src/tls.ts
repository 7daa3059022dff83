/** Why a connection is not encrypted as the settings want it, and what a person can do about it. Nothing has left before that. */
import type { ChannelHost } from "@margay/core/plugin";
import { codeOf, fieldOf, textOf } from "./errors.ts";
import type { Server } from "./settings.ts";

/** @returns a fault `config`; undefined: it is something else. */
export function tlsFault(error: unknown, kind: "imap" | "smtp", server: Server, host: ChannelHost): Error | undefined {
  const place = `${server.host}:${server.port}`;
  const text = textOf(error).replace(/;? *if the root CA is installed.*$/, ""); // a switch of Node that nobody can reach here
  const fault = (message: string): Error => host.fault("config", message, { cause: error, sent: "no" });
  const other = `Set options.${kind}Security to tls, and options.${kind}Port where its port is not ${kind === "imap" ? 993 : 465}`;
  if (isWithoutStarttls(error))
    return fault(`The mail server ${place} offers no STARTTLS: the password was not sent. ${other}.`);
  if (fieldOf(error, "responseCode") === 530 && /starttls/i.test(text))
    return fault(`The mail server ${place} wants encryption: ${text}. Set options.${kind}Security to starttls.`);
  const code = codeOf(error);
  if (code === "ERR_SSL_WRONG_VERSION_NUMBER" || /wrong version number/i.test(text))
    return fault(
      `The mail server ${place} speaks no TLS from the first byte. Set options.${kind}Security to starttls, or another options.${kind}Port.`,
    );
  if (!/^(?:CERT_|ERR_TLS_CERT|DEPTH_ZERO|SELF_SIGNED|UNABLE_TO_(?:VERIFY|GET_ISSUER))/.test(code)) return undefined;
  return fault(`The certificate of ${place} is not to be trusted: ${text}. ${cureOf(code, kind)}`);
}

/** By RFC 3207 502; some say 500 or 554. What may be there later (454) is another matter. */
function isWithoutStarttls(error: unknown): boolean {
  if (fieldOf(error, "tlsFailed") === true) return fieldOf(error, "message") === "Server does not support STARTTLS";
  return fieldOf(error, "code") === "ETLS" && Number(fieldOf(error, "responseCode")) >= 500;
}

function cureOf(code: string, kind: "imap" | "smtp"): string {
  if (code === "ERR_TLS_CERT_ALTNAME_INVALID") return `Set options.${kind}Host to the name that it is for.`;
  if (/^CERT_(?:HAS_EXPIRED|NOT_YET_VALID)$/.test(code))
    return "Whoever runs the server has to renew it, or the clock of this machine is wrong.";
  return "Check the host name and the port. Where your own authority has signed it, start margay with NODE_EXTRA_CA_CERTS=FILE, a file with the certificate of that authority.";
}
