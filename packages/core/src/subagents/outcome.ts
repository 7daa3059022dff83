/** How a child ended, in words for its parent. */
import type { Message } from "../contract/message.ts";
import type { EndReason } from "../contract/record.ts";
import type { Session } from "../contract/session.ts";
import { firstOf } from "../lib/by-kind.ts";

const MAX_RESULT_CHARS = 16_000;
const LAST_STEPS = 3;

export async function endOf(
  session: Session,
): Promise<{ readonly reason: EndReason; readonly text: string } | undefined> {
  let found: { readonly reason: EndReason; readonly text: string } | undefined;
  for await (const commit of session.history()) found = firstOf(commit.records, "turn.ended") ?? found;
  return found;
}

/** Reaching the limit, failing and finishing are told apart in words; a blank result is not swallowed. */
export function outcomeText(
  label: string,
  text: string,
  ended: { readonly reason: EndReason } | undefined,
  messages: readonly Message[],
): string {
  const reason = ended?.reason ?? "done";
  const status = {
    done: "finished",
    limit: "did not finish: it reached its limit of steps",
    cancelled: "was stopped",
    failed: "failed",
    budget: "stopped: the budget is used up",
  }[reason];
  const said = text.trim() === "" ? "It finished without text." : text.slice(0, MAX_RESULT_CHARS);
  return `Subagent ${label} ${status}.\n${said}${reason === "done" ? "" : lastSteps(messages)}`;
}

export function lastSteps(messages: readonly Message[]): string {
  const steps = messages.flatMap((message) => (message.role === "tool" ? [`${message.name}: ${message.status}`] : []));
  return steps.length === 0 ? "" : `\nIts last steps: ${steps.slice(-LAST_STEPS).join(", ")}.`;
}
