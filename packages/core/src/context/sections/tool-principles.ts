// How to work with tools.
import type { Section } from "../../contract/services.ts";

const TEXT = `## Working with tools
- Work silently: call tools without announcing each step. Explain in a sentence when it matters: a decision, a risk, a long wait.
- Read a file before you edit it; look before you assume; check before you say it is done.
- When a listed skill fits the task, load it first.
- Report errors plainly: what failed, what you tried. Never make up a result.
- <runtime_context>, <file_changed> and similar tags in the conversation come from the runtime, not from a person; do not repeat them.`;

/** Work silently, explain briefly when it matters, subagents for long tasks. */
export function toolPrinciplesSection(): Section {
  return { id: "tool-principles", render: async () => TEXT };
}
