/** Which mails no person wrote to us: they are stored and never answered, or two machines would write to each other for ever (CH212). */
import { addressesOf, flatten, valuesOf, type Header } from "./headers.ts";
import { messageIds } from "./thread.ts";

/** What is looked at; a mail as postal-mime parses it fits. */
export interface ReceivedMail {
  readonly headers: readonly Header[];
  readonly text?: string | undefined;
  readonly attachments?: readonly {
    readonly mimeType: string;
    readonly method?: string | undefined;
    readonly content: ArrayBuffer | Uint8Array | string;
  }[];
}

/** What is ours. */
export interface Own {
  readonly addresses: readonly string[];
  /** Whether we sent a mail with this Message-ID. */
  readonly isOwnId: (messageId: string) => boolean;
}

/** Why a mail is automatic: the first that holds. */
export type AutomaticReason =
  | "own-message-id"
  | "delivery-report"
  | "receipt"
  | "calendar-reply"
  | "own-address"
  | "auto-submitted"
  | "auto-response-suppress"
  | "autoreply"
  | "precedence"
  | "list"
  | "null-sender"
  | "mailer-daemon";

/** A mail that is never answered. */
export interface Automatic {
  readonly why: AutomaticReason;
  /** Of a delivery report: the mails it is about, and whether it says that they did not arrive (or only late, or did). */
  readonly report?: { readonly messageIds: readonly string[]; readonly failed: boolean };
}

/** @returns why the mail must not be answered; `undefined`: nothing says that a machine wrote it */
export function automatic(mail: ReceivedMail, own: Own): Automatic | undefined {
  const first = (name: string): string => valuesOf(mail.headers, name)[0] ?? "";
  if (messageIds(first("message-id")).some((id) => own.isOwnId(id))) return { why: "own-message-id" };
  const report = deliveryReport(mail);
  if (report !== undefined) return { why: "delivery-report", report };
  const why = reasonOf(mail, own, first);
  return why === undefined ? undefined : { why };
}

function reasonOf(mail: ReceivedMail, own: Own, first: (name: string) => string): AutomaticReason | undefined {
  const word = (name: string): string => (flatten(first(name)) ?? "?").trim().split(/[\s;]/)[0]?.toLowerCase() ?? "";
  const mine = new Set(own.addresses.map((address) => address.trim().toLowerCase()));
  if (typeOf(mail.headers).startsWith("multipart/report")) return "receipt";
  if (attachmentsOf(mail).some(isCalendarReply)) return "calendar-reply";
  if (sendersOf(mail.headers).some((address) => mine.has(address))) return "own-address";
  if (!["", "no"].includes(word("auto-submitted"))) return "auto-submitted";
  if (!["", "none"].includes(word("x-auto-response-suppress"))) return "auto-response-suppress";
  if (valuesOf(mail.headers, "x-autoreply").length > 0) return "autoreply";
  if (valuesOf(mail.headers, "precedence").some((value) => /^\s*(?:bulk|junk|list)\b/i.test(value)))
    return "precedence";
  if (mail.headers.some(({ key }) => key.toLowerCase().startsWith("list-"))) return "list";
  if (hasNullSender(mail.headers)) return "null-sender";
  return isFromDaemon(mail.headers) ? "mailer-daemon" : undefined;
}

function sendersOf(headers: readonly Header[]): readonly string[] {
  return ["from", "sender"].flatMap((name) => valuesOf(headers, name).flatMap(addressesOf));
}

function hasNullSender(headers: readonly Header[]): boolean {
  return valuesOf(headers, "return-path").some((value) => /^\s*<\s*>\s*$/.test(value));
}

function isFromDaemon(headers: readonly Header[]): boolean {
  return sendersOf(headers).some((address) => /^(?:mailer-daemon|postmaster)(?:[+-][^@]*)?@/.test(address));
}

function typeOf(headers: readonly Header[]): string {
  return (valuesOf(headers, "content-type")[0] ?? "").trim().toLowerCase();
}

interface Part {
  readonly type: string;
  readonly method: string;
  /** Read when asked: most attachments are pictures. */
  readonly text: () => string;
}

function attachmentsOf(mail: ReceivedMail): readonly Part[] {
  return (mail.attachments ?? []).map(({ mimeType, method, content }) => ({
    type: mimeType.toLowerCase(),
    method: method?.toLowerCase() ?? "",
    text: () => (typeof content === "string" ? content : new TextDecoder().decode(content)),
  }));
}

function isCalendarReply({ type, method, text }: Part): boolean {
  if (type !== "text/calendar" && type !== "application/ics") return false;
  return method === "reply" || /^METHOD(?:;[^:\r\n]*)?:\s*REPLY\s*$/im.test(text());
}

/** A multipart/report as RFC 3464 has it, and what servers without that one send (qmail): a daemon that quotes the header of a mail. */
function deliveryReport(mail: ReceivedMail): Automatic["report"] {
  const parts = attachmentsOf(mail);
  const status = parts.find(({ type }) => /^message\/(?:global-)?delivery-status$/.test(type));
  const daemon = isFromDaemon(mail.headers) || hasNullSender(mail.headers);
  const type = typeOf(mail.headers);
  const isReport = type.startsWith("multipart/report") && /report-type\s*=\s*"?delivery-status/.test(type);
  const original = parts.filter(({ type: kind }) =>
    /^(?:message\/(?:rfc822|global)|text\/rfc822-headers|message\/global-headers)$/.test(kind),
  );
  const named = [...original.flatMap((part) => idsIn(headOf(part.text()))), ...(daemon ? idsIn(mail.text ?? "") : [])];
  if (status === undefined && !isReport && !(daemon && named.length > 0)) return undefined;
  // Only the newest reference: the older ones arrived long ago.
  const answered = ["in-reply-to", "references"].flatMap((name) =>
    valuesOf(mail.headers, name).flatMap((value) => messageIds(value).slice(-1)),
  );
  const actions = [...(status?.text() ?? "").matchAll(/^Action:\s*([a-z]+)/gim)].map(([, action = ""]) => action);
  // A report of a delay, or of one that did arrive, says so; one that says nothing is about a failure.
  const failed = actions.length === 0 || actions.some((action) => action.toLowerCase() === "failed");
  return { messageIds: [...new Set(named.length > 0 ? named : answered)], failed };
}

/** Its header: the body of a mail may quote any Message-ID. */
function headOf(text: string): string {
  return text.split(/\r?\n\r?\n/, 1)[0] ?? "";
}

function idsIn(text: string): readonly string[] {
  return [...text.matchAll(/^[ \t>]*Message-ID:[ \t]*(?:\r?\n[ \t]+)?(<[^<>\r\n]*>)/gim)].flatMap(([, id]) =>
    messageIds(id),
  );
}
