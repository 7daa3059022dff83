/** One piece of a reply → one mail, and whether it was sent before. */
import { Readable } from "node:stream";
import type { ChannelHost, Json, JsonObject, OutboundPiece } from "@margay/core/plugin";
import type { Transporter } from "nodemailer";
import { fieldOf, textOf } from "./errors.ts";
import { imapFault, openImap } from "./imap.ts";
import { messageIdOf } from "./message-id.ts";
import type { Server, Settings } from "./settings.ts";
import { idName, type Kept, keptName, sentValue } from "./take.ts";
import { tlsFault } from "./tls.ts";

export interface Sender {
  readonly id: string;
  readonly settings: Settings;
  readonly host: ChannelHost;
}

const CONNECT_MS = 30_000;
const SEND_MS = 120_000;
/** Answers to one address within an hour: more would be two machines that write to each other. */
const MAX_ANSWERS = 10;
const HOUR_MS = 3_600_000;
/** What Node says of a connection that ended before it was encrypted; its code is that of any other. */
const TOO_EARLY = /before secure TLS connection was established/;
/** Codes and calls of the system before the login. */
const NEVER_STOOD: ReadonlySet<unknown> = new Set(["EDNS", "ETLS", "connect", "getaddrinfo"]);

/** @returns its Message-ID. @throws a fault. */
export async function sendMail(piece: OutboundPiece, sender: Sender, signal: AbortSignal): Promise<string> {
  const { id, settings, host } = sender;
  const { to, kind, rendered, parts } = piece;
  const messageId = messageIdOf(id, piece.reply, settings.domain);
  const answer = host.state.value(keptName(to)) as Kept | undefined; // written when a mail was taken
  if (!/^[^\s@<>,;:"]+@[^\s@<>,;:"]+$/.test(to.chat))
    throw host.fault("gone", `${to.chat} is no mail address. Write to one.`, { sent: "no" });
  await underLimit(to.chat, piece, sender);
  const files = await Promise.all(
    parts.flatMap((part) => (part.type === "media" ? [host.media.open(part).then((blob) => ({ part, blob }))] : [])),
  );
  const plain = parts.flatMap((part) => (part.type === "text" ? [part.text] : [])).join("\n");
  // Known before it leaves: an answer, or the mail itself, may come back at once.
  await host.state.setValue(idName(messageId), sentValue(piece));
  const transport = await transportTo(settings.smtp);
  const attachments = files.map(({ part, blob }) => ({
    filename: part.name ?? "file",
    contentType: part.mediaType,
    content: Readable.fromWeb(blob.stream()),
  }));
  const stop = (): void => transport.close();
  signal.addEventListener("abort", stop, { once: true });
  try {
    signal.throwIfAborted();
    await transport.sendMail({
      from: settings.from,
      to: to.chat,
      messageId,
      subject: answer?.subject ?? subjectOf(plain),
      ...(answer?.inReplyTo !== undefined && { inReplyTo: answer.inReplyTo }),
      ...(answer !== undefined && answer.references.length > 0 && { references: [...answer.references] }),
      text: plain,
      ...(rendered !== undefined && { html: page(rendered.text) }),
      attachments,
      headers: {
        // A machine that answers machines would never end (RFC 3834).
        "Auto-Submitted": kind === "message" ? "auto-generated" : "auto-replied",
        "X-Auto-Response-Suppress": "All",
        "X-Margay": id,
      },
    });
  } catch (error) {
    signal.throwIfAborted();
    throw smtpFault(error, settings, host);
  } finally {
    signal.removeEventListener("abort", stop);
    transport.close();
    for (const { content } of attachments) content.destroy();
  }
  return messageId;
}

/** @throws a fault `slow-down`. */
async function underLimit(address: string, { reply, kind }: OutboundPiece, { host }: Sender): Promise<void> {
  if (kind === "message") return;
  const name = `rate-${keptName({ chat: address }).slice(5)}`;
  const now = host.clock.now();
  const saved = host.state.value(name);
  const recent = Object.entries(isRecord(saved) ? saved : {}).filter(
    (entry): entry is [string, number] => typeof entry[1] === "number" && entry[1] > now - HOUR_MS,
  );
  // Tried again it is no other answer.
  if (recent.some(([known]) => known === reply)) return;
  const times = recent.map(([, at]) => at).toSorted((a, b) => a - b);
  const [oldest] = times;
  if (times.length >= MAX_ANSWERS && oldest !== undefined)
    throw host.fault("slow-down", `${address} got ${times.length} answers within an hour. The next one waits.`, {
      sent: "no",
      scope: "chat",
      retryAfterMs: oldest + HOUR_MS - now,
    });
  await host.state.setValue(name, Object.fromEntries([...recent, [reply, now]]));
}

/** Whether a mail with the id of this piece lies in Sent: many servers put what they send there. */
export async function findSentMail(
  piece: OutboundPiece,
  { id, settings, host }: Sender,
  signal: AbortSignal,
): Promise<{ readonly status: "sent"; readonly id: string } | undefined> {
  const messageId = messageIdOf(id, piece.reply, settings.domain);
  const client = await openImap(settings, host, signal);
  try {
    const folders = await client.list();
    const sent = folders.find(({ specialUse }) => specialUse === "\\Sent");
    if (sent === undefined) return undefined;
    await client.mailboxOpen(sent.path, { readOnly: true });
    const found = await client.search({ header: { "message-id": messageId } }, { uid: true });
    // Not there proves nothing: not every server keeps what it sends.
    return Array.isArray(found) && found.length > 0 ? { status: "sent", id: messageId } : undefined;
  } catch (error) {
    signal.throwIfAborted();
    throw imapFault(error, settings, host);
  } finally {
    client.close();
  }
}

/** @throws a fault: who we are to the server is settled. */
export async function tryLogin({ settings, host }: Sender): Promise<void> {
  const transport = await transportTo(settings.smtp);
  try {
    await transport.verify();
  } catch (error) {
    throw smtpFault(error, settings, host);
  } finally {
    transport.close();
  }
}

async function transportTo({ host, port, security, user, password }: Server): Promise<Transporter> {
  const { createTransport } = await import("nodemailer");
  return createTransport({
    host,
    port,
    secure: security === "tls",
    requireTLS: security === "starttls",
    ignoreTLS: security === "none",
    auth: { user, pass: password },
    connectionTimeout: CONNECT_MS,
    greetingTimeout: CONNECT_MS,
    socketTimeout: SEND_MS,
    disableFileAccess: true,
    disableUrlAccess: true,
  });
}

/** What a person can do about it, and whether the mail may have left. */
function smtpFault(error: unknown, { smtp }: Settings, host: ChannelHost): Error {
  const place = `${smtp.host}:${smtp.port}`;
  const text = textOf(error);
  const status = fieldOf(error, "responseCode");
  const code = String(fieldOf(error, "code"));
  const untrusted = tlsFault(error, "smtp", smtp, host);
  if (untrusted !== undefined) return untrusted;
  if (code === "EAUTH" || status === 535 || status === 530)
    return host.fault(
      "auth",
      `The mail server ${place} refused the login of ${smtp.user}: ${text}. Check user and password.`,
      {
        cause: error,
        sent: "no",
      },
    );
  if (typeof status === "number" && status >= 500)
    return host.fault("refused", `The mail server ${place} refused the mail: ${text}.`, {
      cause: error,
      sent: "no",
      answered: true,
    });
  if (typeof status === "number" && status >= 400)
    return host.fault("again", `The mail server ${place} cannot take the mail now: ${text}. It is tried again.`, {
      cause: error,
      sent: "no",
      answered: true,
    });
  // Only what never stood has surely taken nothing: behind that the library does not say how far a connection came.
  const never = [code, fieldOf(error, "syscall")].some((one) => NEVER_STOOD.has(one)) || TOO_EARLY.test(text);
  return host.fault("again", `The mail server ${place} cannot be used: ${text}. It is tried again.`, {
    cause: error,
    sent: never ? "no" : "maybe",
  });
}

/** The first line, as there is no mail to answer. */
function subjectOf(text: string): string {
  const [line = ""] = text
    .trim()
    .replace(/^[#>*\s-]+/, "")
    .split("\n");
  const plain = line.replaceAll(/[*_`]/g, "").trim();
  if (plain === "") return "margay";
  return plain.length <= 70 ? plain : `${plain.slice(0, 69).replace(/[\uD800-\uDBFF]$/, "")}…`;
}

function isRecord(value: Json | undefined): value is JsonObject {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

function page(html: string): string {
  return `<!doctype html><html><head><meta charset="utf-8"></head><body style="font-family:sans-serif;line-height:1.5">${html}</body></html>`;
}
