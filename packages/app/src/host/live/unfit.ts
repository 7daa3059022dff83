/** What is wrong with a frame. */
import type { z } from "zod";
import { Problem } from "../api/problem.ts";

export function unfit(type: string, error: z.ZodError): Problem {
  // A union says little: the shape that came nearest says what is wrong.
  const issues = error.issues.flatMap((issue) =>
    issue.code === "invalid_union"
      ? issue.errors.reduce((best, each) => (each.length < best.length ? each : best), issue.errors[0] ?? [])
      : [issue],
  );
  const faults = issues.flatMap((issue) =>
    (issue.code === "unrecognized_keys" ? issue.keys : [undefined]).map((key) => ({
      path: `/${[...issue.path, ...(key === undefined ? [] : [key])].map(String).join("/")}`,
      code: issue.code,
      message: key === undefined ? issue.message : "This field is not known.",
    })),
  );
  return new Problem("request.invalid", {
    detail: `The frame ${type} does not fit: ${faults[0]?.path ?? ""}: ${faults[0]?.message ?? ""}`,
    errors: faults.slice(0, 20),
  });
}
