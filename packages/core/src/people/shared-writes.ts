/**
 * What a conversation writes for the household while somebody else's words are in view: only what who asks has just said, and what stands
 * in the file already. So a list is kept together without a question, and no line in it has a model tell more than that.
 */
import type { Message, ToolCallPart } from "../contract/message.ts";
import type { PersonId } from "../contract/people.ts";
import type { Verdict } from "../contract/policy.ts";
import type { SharedFiles } from "../contract/room.ts";
import type { SessionState } from "../contract/session.ts";
import { isRecord } from "../lib/is-record.ts";
import { isUntrusted } from "../lib/labels.ts";

export interface SharedWrite {
  /** In the folder. */
  readonly path: string;
  /** What is new there, as far as the call says. */
  readonly text: string;
  readonly now: () => Promise<string | undefined>;
}

export function isWrite({ name }: Pick<ToolCallPart, "name">): boolean {
  return name === "write_file" || name === "edit_file";
}

/** Undefined: the call writes elsewhere, or nothing. */
export function sharedWrite(
  { name, input }: ToolCallPart,
  state: SessionState,
  shared: SharedFiles,
): SharedWrite | undefined {
  if (!isWrite({ name }) || !isRecord(input)) return undefined;
  const path = shared.at(state, String(input["path"]));
  if (path === undefined) return undefined;
  const text = String(input[name === "write_file" ? "content" : "new_text"]);
  return { path, text, now: () => shared.text(path) };
}

/** Each word as often as it stands there and was said, and no more: what is repeated could be counted. */
export async function isSaid({ path, text, now }: SharedWrite, state: SessionState): Promise<boolean> {
  if (!isUntrusted(state.label)) return true;
  const before = await now();
  const known = counted(wordsIn([before ?? "", ...saidNow(state)].join("\n")));
  // A new file has a name that somebody reads, too; what kind it is says nothing.
  const name = before === undefined ? path.replace(/\.(?:md|txt)$/, "") : "";
  return [...counted(wordsIn(`${name}\n${text}`))].every(([word, count]) => count <= (known.get(word) ?? 0));
}

/** By who asks, since the turn began: what they said before that is between them and the agent. */
function saidNow({ messages, turn }: SessionState): readonly string[] {
  const begun = messages.findLastIndex((message) => message.role === "user" && message.id === turn?.opening);
  return begun === -1 ? [] : messages.slice(begun).flatMap(spoken);
}

function spoken(message: Message): readonly string[] {
  if (message.role !== "user" || message.from.kind !== "person" || message.integrity !== undefined) return [];
  return message.parts.map((part) => (part.type === "text" ? part.text : ""));
}

/** Where words are written without spaces each sign is one. A box that is ticked is no word, whatever cannot be seen is. */
function wordsIn(text: string): readonly string[] {
  // Made here: such classes cost a start a millisecond.
  const scripts = ["Han", "Hiragana", "Katakana", "Thai", "Lao", "Khmer", "Myanmar"];
  const alone = `\\p{So}\\p{Sc}${scripts.map((script) => `\\p{Script=${script}}`).join("")}`;
  const words = new RegExp(`[${alone}]|[^\\s\\p{P}\\p{Sm}\\p{Sk}${alone}]+`, "gu");
  const plain = text.normalize("NFKC").toLowerCase().replaceAll("[x]", "[ ]");
  return plain.match(words) ?? [];
}

function counted(words: readonly string[]): ReadonlyMap<string, number> {
  const counts = new Map<string, number>();
  for (const word of words) counts.set(word, (counts.get(word) ?? 0) + 1);
  return counts;
}

/** The words are for the model. */
export function unsaid(asker: PersonId | undefined): Verdict {
  return {
    kind: "deny",
    rule: "readers",
    reason: `not written: what others wrote is in this conversation, so only what ${asker ?? "who asks"} has just said, in those words, and what stands in the file goes into the shared folder; for more its owner must do it, by saying it word for word, or after /new has emptied this conversation`,
  };
}
