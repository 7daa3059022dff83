// What a subagent is told about its situation.
import type { Section } from "../../contract/services.ts";

const TEXT = `## Background task
You are a subagent: you work alone on the one task in the first message and no person reads along. Do not ask questions; choose sensibly and say what you assumed.
End with a summary for the agent that started you: what you did, what you found, what is unfinished.`;

/** Only in sessions that have a parent. */
export function backgroundSection(): Section {
  return { id: "background", render: async (state) => (state.parent === undefined ? undefined : TEXT) };
}
