// Skills that changed since the prefix froze, and skills that a person names: told by appended messages.
import type { Millis } from "../contract/base.ts";
import type { Message, NoticeMessage, UserMessage } from "../contract/message.ts";
import type { SessionState } from "../contract/session.ts";
import { cutAt } from "../lib/text.ts";
import type { LoadedSkill, SkillSource } from "./sections/section-options.ts";
import { escapeXml, isShownIn, skillNamesIn, type ShownSkill } from "./sections/skills.ts";

/** Bound on an active skill in a notice about changes. */
const MAX_CHANGED_CHARS = 4_000;
/** Bound on the instructions that are put before a message. */
const MAX_SKILL_CHARS = 16_000;
/** Skills that one message may name. */
const MAX_NAMED = 5;
const GONE = "none";

/**
 * One notice for all skills that are not as the prefix, or the last notice about them, says. Derived from the
 * journal, so a restart announces nothing twice.
 * @param hash SHA-256 of a text, as hex.
 */
export function skillChanges(
  state: SessionState,
  skills: readonly ShownSkill[],
  now: Millis,
  hash: (text: string) => string,
): NoticeMessage | undefined {
  if (state.prefix === undefined) return undefined; // the freeze that follows will hold the current list
  const { system } = state.prefix;
  const shown = new Map(skills.map((skill) => [skill.name, skill]));
  const announced = announcedMarks(state.messages);
  const frozen = new Set(skillNamesIn(system));
  const changes = [...new Set([...frozen, ...announced.keys(), ...shown.keys()])].toSorted().flatMap((name) => {
    const skill = shown.get(name);
    const mark = skill === undefined ? GONE : hash(skill.content).slice(0, 12);
    const last = announced.get(name);
    const isKnown =
      last !== undefined ? last === mark : skill === undefined ? !frozen.has(name) : isShownIn(system, skill);
    return isKnown ? [] : [{ mark: `${name}="${mark}"`, text: changeText(name, skill) }];
  });
  if (changes.length === 0) return undefined;
  const [marks, texts] = [
    changes.map((change) => change.mark).join(" "),
    changes.map((change) => change.text).join("\n"),
  ];
  return { role: "notice", at: now, kind: "skills", text: `<skills_changed ${marks}>\n${texts}\n</skills_changed>` };
}

/** `$name` in a person's message, and what `/skill` asked for: the instructions, once each. */
export async function skillsBefore(
  state: SessionState,
  placed: readonly UserMessage[],
  skills: SkillSource,
  now: Millis,
  signal: AbortSignal,
): Promise<readonly NoticeMessage[]> {
  const asked = state.skills ?? [];
  const named = [...new Set(placed.flatMap(namesIn))].filter((name) => !asked.includes(name)).slice(0, MAX_NAMED);
  const notices = await Promise.all(
    [...asked, ...named].map(async (name): Promise<NoticeMessage | undefined> => {
      const skill = await skills.load?.(name, signal);
      // What somebody asked for by a command is answered, what merely looks like a name is not.
      if (skill === undefined && !asked.includes(name)) return undefined;
      return { role: "notice", at: now, kind: "skills", text: skillText(name, skill, state.messages), skill: name };
    }),
  );
  return notices.filter((notice) => notice !== undefined);
}

function namesIn({ from, parts }: UserMessage): readonly string[] {
  if (from.kind !== "person") return [];
  const text = parts.map((part) => (part.type === "text" ? part.text : "")).join("\n");
  return [...text.matchAll(/(?<![\p{L}\p{N}_$])\$([A-Za-z0-9](?:[\w.-]{0,62}\w)?)/gu)].map(([, name = ""]) => name);
}

function skillText(name: string, skill: LoadedSkill | undefined, messages: readonly Message[]): string {
  const start = `<skill name="${escapeXml(name)}"`;
  if (skill === undefined) return `${start}>\nThe user asked for this skill, but it cannot be used now.\n</skill>`;
  const { directory, location, body } = skill;
  const text = `${start} directory="${escapeXml(directory)}">\n${bounded(body.trim(), MAX_SKILL_CHARS, location)}\n</skill>`;
  const isThere = messages.some((message) => message.role === "notice" && message.text === text);
  return isThere ? `${start}>\nThe user asks for this skill again: follow its instructions above.\n</skill>` : text;
}

/** What the newest notice about each skill said. Only first lines count: skills write the others. */
function announcedMarks(messages: readonly Message[]): ReadonlyMap<string, string> {
  const marks = new Map<string, string>();
  for (const message of messages) {
    if (message.role !== "notice" || message.kind !== "skills") continue;
    const [first = ""] = message.text.split("\n", 1);
    if (!first.startsWith("<skills_changed ")) continue;
    for (const [, name = "", mark = ""] of first.matchAll(/([\w.-]+)="([0-9a-f]+|none)"/g)) marks.set(name, mark);
  }
  return marks;
}

function changeText(name: string, skill: ShownSkill | undefined): string {
  if (skill === undefined) return `The skill ${name} is gone; do not use it.`;
  return skill.active && skill.text.length > MAX_CHANGED_CHARS
    ? `${cutAt(skill.text, MAX_CHANGED_CHARS)}\n[cut at ${MAX_CHANGED_CHARS} of ${skill.text.length} characters. Use use_skill for the rest.]\n</active_skill>`
    : skill.text;
}

function bounded(text: string, maxChars: number, location: string): string {
  if (text.length <= maxChars) return text;
  return `${cutAt(text, maxChars)}\n[cut at ${maxChars} of ${text.length} characters. Use read_file on ${location} for the rest.]`;
}
