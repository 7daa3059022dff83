/** The shell's REST client as the pages use it, and its failures as data. */
import { ApiProblem, type ProblemDocument } from "../api.ts";
import { problemFrom } from "../ui/problem.tsx";

export { api } from "../api.ts";

export type Problem = Pick<ProblemDocument, "code" | "title" | "detail" | "remedy"> & Partial<ProblemDocument>;

/** Whatever was thrown, in the shape of a problem document. */
export function toProblem(error: unknown): Problem {
  return error instanceof ApiProblem ? error.problem : problemFrom(error);
}

export function isProblem(problem: Problem | undefined, code: string): boolean {
  return problem?.code === code;
}

/** Faults by JSON Pointer, for the rows of a form. */
export function faultsOf(problem: Problem | undefined): ReadonlyMap<string, string> {
  return new Map((problem?.errors ?? []).map(({ path, message }) => [path, message]));
}
