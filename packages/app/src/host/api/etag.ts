/** Strong ETags of editable documents: what was seen is what is changed, or nothing is. */
import type { Call, Reply } from "./route.ts";
import { Problem } from "./problem.ts";

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
    throw new Problem("precondition.required", {
      detail: "This change needs If-Match with the ETag of what you saw.",
      remedy: "Read it, then send its ETag as If-Match.",
      zh: {
        detail: "此更改需要 If-Match，其值为所读内容的 ETag。",
        remedy: "请先读取，再以其 ETag 作为 If-Match 发送。",
      },
    });
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
    detail: "It was changed since you read it. Nothing was written.",
    remedy: "Read it again and make your change on that.",
    zh: { detail: "读取之后内容已被更改，未写入任何内容。", remedy: "请重新读取，并在其基础上修改。" },
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
