/** What was said as a draft of MEMORY.md: a person reads it over, and saves it or not. */
import { api } from "../../api.ts";
import { openPanel } from "../../lib/route.ts";
import { drafts } from "../../panel-kit/drafts.ts";

const FILE = "MEMORY.md";
const KEY = `memory/${FILE}`;

export async function toMemory(said: string): Promise<void> {
  const kept = drafts.value.get(KEY);
  let draft = kept;
  if (draft === undefined) {
    const { body } = await api.get<{ text: string; hash: string }>(`/memory/files/${FILE}`);
    draft = { base: body.text, hash: body.hash, value: body.text };
  }
  const before = typeof draft.value === "string" ? draft.value.trimEnd() : "";
  const value = `${before === "" ? "" : `${before}\n`}${asFact(said)}\n`;
  drafts.value = new Map(drafts.value).set(KEY, { ...draft, value });
  openPanel(KEY);
}

/** One fact of a list; further lines belong to it. */
function asFact(text: string): string {
  return `- ${text.trim().replaceAll("\n", "\n  ")}`;
}
