/** What a server says of a mail that it had taken: that it did not arrive, or comes later, or is there (RFC 3464, and older forms). */
import { addressesOf, type ReceivedMail, valuesOf } from "./headers.ts";
import { messageIds } from "./thread.ts";

/** A report about mails that were sent. */
export interface DeliveryReport {
  /** The mails it is about. */
  readonly messageIds: readonly string[];
  /** They did not arrive, and are tried no more. */
  readonly failed: boolean;
  /** Whom it did not reach, and why, in the words of a server or of whoever wrote it. */
  readonly reason: string;
}

/** Of a text that somebody else wrote: a mail may have many megabytes. */
const MOST_READ = 65_536;
const MOST_SAID = 400;
/** As the field stands, with the lines that it is folded over. */
const FIELD = /^([A-Za-z-]+):[ \t]*((?:[^\r\n]|\r?\n[ \t])*)/gm;
// The forms without a status that are no failure: what is delayed is tried again.
const DELAYED =
  /\b(?:this is a warning message only|do not need to resend|delayed|will (?:be retried|retry|keep trying|continue to try)|still being (?:re)?tried|not yet been delivered)\b|延迟|稍后重试|继续尝试/i;

/** A multipart/report as RFC 3464 has it, and what servers without that one send (qmail): a daemon that quotes the header of a mail. */
export function deliveryReport(mail: ReceivedMail, isDaemon: boolean): DeliveryReport | undefined {
  const parts = (mail.attachments ?? []).map(({ mimeType, content }) => ({
    type: mimeType.toLowerCase(),
    text: () => (typeof content === "string" ? content : new TextDecoder().decode(content)).slice(0, MOST_READ),
  }));
  const status = parts.find(({ type }) => /^message\/(?:global-)?delivery-status$/.test(type))?.text();
  const type = (valuesOf(mail.headers, "content-type")[0] ?? "").trim().toLowerCase();
  const isReport = type.startsWith("multipart/report") && /report-type\s*=\s*"?delivery-status/.test(type);
  const said = (mail.text ?? "").slice(0, MOST_READ);
  const original = parts.filter(({ type: kind }) =>
    /^(?:message\/(?:rfc822|global)|text\/rfc822-headers|message\/global-headers)$/.test(kind),
  );
  const named = [...original.flatMap((part) => idsIn(headOf(part.text()))), ...(isDaemon ? idsIn(said) : [])];
  if (status === undefined && !isReport && !(isDaemon && named.length > 0)) return undefined;
  // Only the newest reference: the older ones arrived long ago.
  const answered = ["in-reply-to", "references"].flatMap((name) =>
    valuesOf(mail.headers, name).flatMap((value) => messageIds(value).slice(-1)),
  );
  return {
    messageIds: [...new Set(named.length > 0 ? named : answered)],
    ...(status === undefined ? wordsOf(mail, said) : statusOf(status, said)),
  };
}

/** Groups of fields, the first of them about the report itself (RFC 3464, 2.1). */
function statusOf(status: string, said: string): Pick<DeliveryReport, "failed" | "reason"> {
  const recipients = status
    .split(/\r?\n[ \t]*\r?\n/)
    .map((group) => new Map([...group.matchAll(FIELD)].map(([, name = "", value = ""]) => [name.toLowerCase(), value])))
    .filter((fields) => fields.has("action") || fields.has("final-recipient"));
  const lost = recipients.filter((fields) => (fields.get("action") ?? "failed").trim().toLowerCase() === "failed");
  const words = (field: string): string =>
    lost
      .filter((fields) => fields.has(field))
      .map((fields) => {
        const [address = ""] = addressesOf((fields.get("final-recipient") ?? "").replace(/^[^;]*;/, ""));
        return `${address}: ${(fields.get(field) ?? "").replace(/^\s*smtp\s*;/i, "")}`;
      })
      .join("; ");
  const [reason = ""] = [words("diagnostic-code"), said, words("status")].map(short).filter((one) => one !== "");
  // A report of a delay, or of one that did arrive, says so; one that says nothing is about a failure.
  return { failed: recipients.length === 0 || lost.length > 0, reason };
}

function wordsOf(mail: ReceivedMail, said: string): Pick<DeliveryReport, "failed" | "reason"> {
  const ours = said.split(/^-{2,}.*(?:copy of (?:the|your) message|original message|原邮件).*$/im, 1)[0] ?? "";
  const subject = valuesOf(mail.headers, "subject").join(" ");
  return { failed: !DELAYED.test(`${subject}\n${ours.slice(0, 2000)}`), reason: short(ours) };
}

function short(text: string): string {
  return text.replaceAll(/\s+/g, " ").trim().slice(0, MOST_SAID);
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
