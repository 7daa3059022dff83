// When to write, search and read long-term memory.
import type { Section } from "../../contract/services.ts";
import { isTemporary } from "../../lib/session-key.ts";
import type { SectionOptions } from "./section-options.ts";

const HEAD = "## Memory\nmemory/MEMORY.md holds lasting facts; memory/HISTORY.md is a dated log of past conversations.";
const WRITE =
  "when the user asks, or on a preference, a decision or a lasting fact. Never store small talk or one-off lookups.";
const NOTHING_KEPT =
  "This chat is temporary: the user wants nothing of it kept. Write nothing of it to memory or to files unless they ask for a file; when they ask you to remember something, say that this chat cannot.";

/** Names `remember` and `recall`, or the files themselves when those tools are not offered. */
export function memoryGuidanceSection(options: Pick<SectionOptions, "tools">): Section {
  return {
    id: "memory-guidance",
    render: async ({ key }) => {
      const names = new Set(options.tools().map((tool) => tool.name));
      const write = names.has("remember") ? "Write with `remember`" : "Write to MEMORY.md, one line per fact,";
      const search = `Search ${names.has("recall") ? "with `recall`" : "both files"} before you say that you do not know something from the past.`;
      return `${HEAD}\n- ${isTemporary(key) ? NOTHING_KEPT : `${write} ${WRITE}`}\n- ${search}`;
    },
  };
}
