/** Requests of the runtime itself: keeping memory, looking at HEARTBEAT.md. Recognized by the tool they offer. */
import type { ModelRequest } from "@margay/core";
import type { Decision } from "./steps.ts";
import { understand } from "./understand.ts";

const MAX_HISTORY_CHARS = 600;

/** @returns undefined for an ordinary turn. */
export function chore(request: Pick<ModelRequest, "messages" | "prefix">): Decision | undefined {
  const only = request.prefix.tools.length === 1 ? request.prefix.tools[0]?.name : undefined;
  if (only !== "save_memory" && only !== "heartbeat") return undefined;
  const last = request.messages.findLast((message) => message.role === "user");
  const text = last?.parts.flatMap((part) => (part.type === "text" ? [part.text] : [])).join("\n") ?? "";
  if (only === "save_memory")
    return { type: "calls", calls: [{ name: only, input: { memory: "", history: history(text) } }] };
  const task = openTask(text);
  return {
    type: "calls",
    calls: [{ name: only, input: task === undefined ? { action: "skip" } : { action: "run", task } }],
  };
}

/** The memory stays as it is (a blank `memory` never empties it); the log gets an extract. */
function history(text: string): string {
  const letters = [...text.replace(/\s+/g, " ").trim()];
  const tail = letters.slice(-MAX_HISTORY_CHARS).join("");
  return `(practice mode: extract, not a summary) ${letters.length > MAX_HISTORY_CHARS ? "…" : ""}${tail}`;
}

/** The first unchecked line that practice mode can carry out. */
function openTask(text: string): string | undefined {
  const lines = text
    .split("\n")
    .flatMap((line) => /^\s*[-*]\s+(?:\[ \]\s+)?(?!\[[xX]\])(.+)$/.exec(line)?.[1]?.trim() ?? []);
  return lines.find((line) => understand(line).every((part) => part.status === "known" && part.intent.kind !== "say"));
}
