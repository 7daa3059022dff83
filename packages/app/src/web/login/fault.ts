/** What went wrong at the door, with the next step: the same for every guess, whatever was typed. */
import { ApiProblem } from "../api.ts";

export function faultOf(error: unknown): string {
  if (!(error instanceof ApiProblem)) return String(error);
  const { detail, remedy } = error.problem;
  return remedy === undefined ? detail : `${detail} ${remedy}`;
}

/** Why the link that was opened leads nowhere; `closed`: the first password was set before. */
export type LinkFault =
  | { readonly kind: "used" | "expired" | "closed" }
  | { readonly kind: "failed"; readonly text: string };

export function linkFaultOf(error: unknown): LinkFault {
  const code = error instanceof ApiProblem ? error.code : "";
  if (code === "auth.code-used") return { kind: "used" };
  if (code === "auth.code-expired") return { kind: "expired" };
  return { kind: "failed", text: faultOf(error) };
}
