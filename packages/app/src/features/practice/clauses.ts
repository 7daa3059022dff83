/** Cuts a message where people join requests: "list the files and then read a.txt", "列出文件，然后读 a.txt". */
export interface Clause {
  readonly text: string;
  /** What stood before it; put back when two clauses turn out to be one. */
  readonly joint: string;
  /** "then": the clauses before it have to be finished first. */
  readonly after: boolean;
}

const HARD = String.raw`[,;]?\s+(?:and\s+)?(?:then|after that|afterwards)(?:,\s*|\s+)|[，,；;。]?\s*(?:然后再?|接着再?|之后再?|完了再?)[，,]?\s*|\s*\n+\s*`;
const SOFT = String.raw`,\s+and\s+|\s+and\s+(?:also\s+)?|,\s+|;\s*|[.!?]\s+(?=[A-Z"'(])|[，；。！？]\s*(?:并且?|再|也|同时)?|并且|同时|以及|、|和(?!尚|平|谐)|并(?=[读列告运写搜总说抓看打记把])`;

const QUOTED = /"[^"]*"|`[^`]*`|“[^”]*”|「[^」]*」|(?<![\p{L}\p{N}])'[^']*'(?![\p{L}\p{N}])/gu;

export function splitClauses(message: string): readonly Clause[] {
  const quotes = [...message.matchAll(QUOTED)].map((found) => [found.index, found.index + found[0].length] as const);
  const joints = [...message.matchAll(new RegExp(`(?<hard>${HARD})|(?:${SOFT})`, "giu"))].filter(
    (found) => !quotes.some(([from, to]) => found.index >= from && found.index < to),
  );
  const clauses: Clause[] = [];
  let from = 0;
  let joint = "";
  let after = false;
  for (const found of joints) {
    clauses.push({ text: message.slice(from, found.index), joint, after });
    from = found.index + found[0].length;
    joint = found[0];
    after = found.groups?.["hard"] !== undefined && /\S/.test(found[0]) && !/^[\s\n]*$/.test(found[0]);
  }
  clauses.push({ text: message.slice(from), joint, after });
  return clauses.filter((clause, index) => clause.text.trim() !== "" || index === 0);
}
