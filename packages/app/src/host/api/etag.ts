/** Strong ETags of editable documents: what was seen is what is changed, or nothing is. */
import type { Call, Reply } from "./route.ts";
import { Problem } from "./problem.ts";
import { told } from "./words.ts";
import { TEXT } from "./api-texts.ts";

type Headers = Call<unknown, unknown>["headers"];

export function tagOf(hash: string): string {
  return `"${hash}"`;
}

/**
 * A change of something that exists names the version it was made from.
 * @throws Problem `precondition.required`, `precondition.failed` with the current hash.
 */
export function requireMatch(headers: Headers, hash: string): void {
  const given = headers["if-match"];
  if (given === undefined)
    throw new Problem("precondition.required", told({ detail: TEXT.changeNeedsIf, remedy: TEXT.readThenSend }));
  if (!tagsOf(given).includes(hash) && given.trim() !== "*") throw changedMeanwhile(hash);
}

/** For something that does not exist yet: `If-None-Match: *`, or the hash that a list gave for the empty place. */
export function requireNone(headers: Headers, emptyHash: string): void {
  if (headers["if-none-match"]?.trim() === "*") return;
  requireMatch(headers, emptyHash);
}

/** 200 with the body, or 304 when the caller has it. */
export function tagged(headers: Headers, hash: string, body: unknown): Reply {
  const etag = tagOf(hash);
  const known = headers["if-none-match"];
  if (known !== undefined && (known.trim() === "*" || tagsOf(known).includes(hash)))
    return { status: 304, headers: { etag } };
  return { body, headers: { etag } };
}

export function changedMeanwhile(hash: string): Problem {
  return new Problem("precondition.failed", {
    ...told({ detail: TEXT.changedSinceYou, remedy: TEXT.readAgainAnd }),
    more: { current: hash },
  });
}

function tagsOf(header: string): readonly string[] {
  return header.split(",").map((tag) =>
    tag
      .trim()
      .replace(/^W\//, "")
      .replace(/^"(.*)"$/, "$1"),
  );
}
