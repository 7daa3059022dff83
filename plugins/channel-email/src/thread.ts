/** Which conversation a mail belongs to, and what an answer says of it (CH214). */

/** The three fields that tie mails together, as they stand in the header. */
export interface ThreadFields {
  readonly messageId?: string | undefined;
  readonly inReplyTo?: string | undefined;
  readonly references?: string | undefined;
}

/** Fields of an answer. Each entry of `references` fits into one line of a header. */
export interface AnswerFields {
  readonly inReplyTo?: string;
  readonly references: readonly string[];
  readonly subject: string;
}

/** A line of a mail has at most 998 octets (RFC 5322): an id that fills one by itself cannot be folded. */
const LONGEST_ID = 996;
const LONGEST_SUBJECT = 500;
const MOST_REFERENCES = 20;
/** Mails with thousands of references exist to slow somebody down. */
const MOST_READ = 100_000;
// "Re" as the mail programs of the world write it, with the counter of old ones: Re[2]:, Re^3:
const REPLY_PREFIX =
  /^(?:re|aw|sv|vs|antw|odp|ynt|rif|res|回复|回覆|答复|答覆|返信)\s*(?:[[(^]\d{1,3}[\])]?)?\s*[:：]\s*/iu;

/** The ids of a field in their order, each once. What is no id is left out; folding inside of one is undone. */
export function messageIds(field: string | undefined): readonly string[] {
  if (field === undefined) return [];
  const found = field.slice(0, MOST_READ).matchAll(/<([^<>]*)>/g);
  const ids = [...found]
    .map(([, inner = ""]) => inner.replace(/\s+/g, ""))
    .filter((inner) => /^[\x21-\x7e]+$/.test(inner));
  return [...new Set(ids.filter((inner) => inner.length <= LONGEST_ID - 2).map((inner) => `<${inner}>`))];
}

/**
 * All that a mail says of its conversation, oldest first, in lower case because gateways change it: whoever kept one of these
 * knows the conversation, also when a mail program names its last mail only.
 */
export function threadIds({ messageId, inReplyTo, references }: ThreadFields): readonly string[] {
  const ids = [references, inReplyTo, messageId].flatMap(messageIds);
  return [...new Set(ids.map((id) => id.toLowerCase()))];
}

/** The first mail of the conversation: References, else In-Reply-To, else the mail itself. */
export function threadRoot(fields: ThreadFields): string | undefined {
  return threadIds(fields)[0];
}

/** `Re: ` once, whatever was there before. Line breaks in a subject would be header fields of a stranger. */
export function answerSubject(subject: string | undefined): string {
  let rest = (subject ?? "").replace(/[\p{Cc}\s]+/gu, " ").trim();
  for (let match = REPLY_PREFIX.exec(rest); match !== null; match = REPLY_PREFIX.exec(rest))
    rest = rest.slice(match[0].length);
  return rest === "" ? "Re:" : `Re: ${clipped(rest)}`;
}

/** A word that fills a line cannot be folded either. */
function clipped(subject: string): string {
  const characters = [...subject];
  return characters.length <= LONGEST_SUBJECT ? subject : characters.slice(0, LONGEST_SUBJECT).join("").trimEnd();
}

/** What an answer to this mail carries: the root and the newest of what came before, the mail itself last. */
export function answerFields(fields: ThreadFields & { readonly subject?: string | undefined }): AnswerFields {
  const [own] = messageIds(fields.messageId);
  // RFC 5322: without References the parent's In-Reply-To stands in.
  const before = [messageIds(fields.references), messageIds(fields.inReplyTo)].find((ids) => ids.length > 0) ?? [];
  const all = [...before.filter((id) => id !== own), ...(own === undefined ? [] : [own])];
  const references = all.length <= MOST_REFERENCES ? all : [...all.slice(0, 1), ...all.slice(1 - MOST_REFERENCES)];
  return { ...(own !== undefined && { inReplyTo: own }), references, subject: answerSubject(fields.subject) };
}
