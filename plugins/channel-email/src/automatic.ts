/** Which mails no person wrote to us: they are stored and never answered, or two machines would write to each other for ever (CH212). */
import { addressesOf, flatten, valuesOf, type Header, type ReceivedMail } from "./headers.ts";
import { type DeliveryReport, deliveryReport } from "./report.ts";
import { messageIds } from "./thread.ts";

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
  readonly report?: DeliveryReport;
}

/** @returns why the mail must not be answered; `undefined`: nothing says that a machine wrote it */
export function automatic(mail: ReceivedMail, own: Own): Automatic | undefined {
  const first = (name: string): string => valuesOf(mail.headers, name)[0] ?? "";
  if (messageIds(first("message-id")).some((id) => own.isOwnId(id))) return { why: "own-message-id" };
  const report = deliveryReport(mail, isFromDaemon(mail.headers) || hasNullSender(mail.headers));
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
