/** How mail programs introduce what they quote, in the languages they do it. Every pattern reads a line once: hostile lines are long. */
import { MARKS } from "./marks.ts";

/** Longer lines introduce nothing: no pattern looks at them. */
const LONGEST = 600;

const OLDER_LINE =
  /^(?:[-_=*]{2,} ?(?:original message|original appointment|original email|forwarded message|forwarded by .{0,200}|ursprüngliche nachricht|originalnachricht|weitergeleitete nachricht|message d'origine|message original|message transféré|mensaje original|mensaje reenviado|messaggio originale|messaggio inoltrato|oorspronkelijk bericht|doorgestuurd bericht|mensagem original|原始邮件|原始郵件|原邮件|转发邮件信息|转发的邮件|转发邮件|轉寄郵件|元のメッセージ|転送メッセージ) ?[-_=*]{0,80}|begin forwarded message: ?|anfang der weitergeleiteten nachricht: ?|début du message transféré ?: ?|inicio del mensaje reenviado: ?|inizio messaggio inoltrato: ?)$/iu;

/** The labels of a quoted header, each with the kind of field it is. */
const LABELS: readonly (readonly [kind: string, label: RegExp])[] = [
  ["from", /^(?:from|von|de|da|van|desde|发件人|寄件者|寄件人|差出人) ?[:：]/iu],
  [
    "date",
    /^(?:sent|date|gesendet|datum|envoyé|inviato|data|verzonden|enviado(?: el)?|fecha|发送时间|发送日期|寄件日期|日期|时间|送信日時|日付) ?[:：]/iu,
  ],
  ["to", /^(?:to|an|à|a|para|aan|收件人|收件者|宛先) ?[:：]/iu],
  ["cc", /^(?:cc|kopie|抄送|副本) ?[:：]/iu],
  ["subject", /^(?:subject|betreff|objet|asunto|oggetto|onderwerp|assunto|主题|主题|主旨|主題|件名) ?[:：]/iu],
];

/** Sentences around a name and a date: "On … wrote:". */
const SENTENCES: readonly RegExp[] = [
  /^(?:on|at) .{4,500} wrote ?:$/iu,
  /^am .{4,500} (?:schrieb|geschrieben)(?: .{1,200})?:$/iu,
  /^le .{4,500} a écrit ?:$/iu,
  /^el .{4,500} escribió ?:$/iu,
  /^il .{4,500} (?:ha scritto|scrisse) ?:$/iu,
  /^op .{4,500} (?:schreef|geschreven)(?: .{1,200})? ?:$/iu,
  /^em .{4,500} escreveu ?:$/iu,
  /^在 ?.{2,500}写道 ?[:：]$/u,
  /^(?:19|20)\d\d年.{2,300}[:：]$/u,
];
/** The same without a word to begin with. */
const WROTE: readonly RegExp[] = [
  /^.{2,300} (?:wrote|schrieb|schreef|a écrit|escribió|ha scritto)(?: (?:am|on|op|le|el|il) .{4,200})? ?:$/iu,
  /^.{2,500}(?:写道|寫道|的邮件|来信) ?[:：]$/u,
  /^.{2,500}(?:のメール|が書きました|は書きました|さんからのメール) ?[:：]$/u,
];

const MOBILE =
  /^(?:sent from my .{2,40}|sent from .{2,40} for (?:ios|android|windows)|get outlook for .{2,40}|von meinem .{2,40} gesendet|gesendet mit der .{2,60}|gesendet von .{2,60}|envoyé de(?:puis)? mon .{2,40}|enviado desde mi .{2,40}|inviato da(?:l mio)? .{2,40}|verstuurd vanaf mijn .{2,40}|发自我的 ?.{2,40}|發自我的 ?.{2,40}|从我的 ?.{2,20}发送|.{0,20}から送信|获取 ?outlook .{0,30})\.?$/iu;

/** A line as it is compared: blanks are one, no marks of bold, no HTML blank that QQ leaves in plain text. */
export function plainLine(line: string): string {
  if (line.length > LONGEST) return "";
  return line
    .replace(/&nbsp;|[\s\u00a0\u3000]+/g, " ")
    .replace(/^ ?\*{1,2}(?=[^*\s])|\*{1,2}(?=[:：]|$)|(?<=[:：])\*{1,2}/gu, "")
    .replaceAll(MARKS.attribution, "")
    .trim();
}

/** "-----Original Message-----" and its kin. */
export function isOlderLine(line: string): boolean {
  return line.includes(MARKS.older) || OLDER_LINE.test(plainLine(line));
}

/** Which field of a quoted header a line is. */
export function fieldOf(line: string): string | undefined {
  const plain = plainLine(line);
  return LABELS.find(([, label]) => label.test(plain))?.[0];
}

/** How sure it is that a line introduces a quote: a whole sentence, its end, or only a colon after an address. */
export type Introduction = "sentence" | "wrote" | "maybe";

/** @param joined One line, or several that a mail program broke. */
export function introduces(joined: string): Introduction | undefined {
  const plain = plainLine(joined);
  if (!/[:：]$/.test(plain)) return undefined;
  if (!/\d/.test(plain) && !plain.includes("@")) return undefined;
  if (SENTENCES.some((pattern) => pattern.test(plain))) return "sentence";
  if (WROTE.some((pattern) => pattern.test(plain))) return "wrote";
  return /[^\s<>]@[^\s<>]/.test(plain) ? "maybe" : undefined;
}

/** Whether words alone are proof: with a time or an address they are no sentence of a person. */
export function isCertain(joined: string): boolean {
  const plain = plainLine(joined);
  return /\d{1,2}[:.h]\d{2}/.test(plain) || /[^\s<>]@[^\s<>]/.test(plain) || /\d{4}[-/年]/.test(plain);
}

/** "Sent from my phone". */
export function isMobileSignature(line: string): boolean {
  return MOBILE.test(plainLine(line));
}
