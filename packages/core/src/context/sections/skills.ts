// Active skills in full, the others as a list to load from.
import type { Section } from "../../contract/services.ts";
import type { SkillEntry, SkillSource } from "./section-options.ts";

/**
 * One skill as the prompt shows it. `text` stands in the prompt exactly so: notices look for it. `content`: all of it, as prompts
 * frozen before decision 0098 hold it, and of which the marks of notices are made.
 */
export interface ShownSkill {
  readonly name: string;
  readonly active: boolean;
  readonly text: string;
  readonly content: string;
}

/** Every offered skill, by name in code units: the order is part of the byte-stable prefix. */
export async function shownSkills(skills: SkillSource, signal: AbortSignal): Promise<readonly ShownSkill[]> {
  const listed = (await skills.list(signal)).toSorted((a, b) => (a.name < b.name ? -1 : a.name > b.name ? 1 : 0));
  return Promise.all(
    listed.map(async (skill): Promise<ShownSkill> => {
      const { name } = skill;
      if (!skill.always || skill.missing.length > 0)
        return { name, active: false, text: skillLine(skill), content: skillXml(skill) };
      const body = (skill.body ?? (await skills.read(name, signal))).trim();
      const text = `<active_skill name="${escapeXml(name)}">\n${body}\n</active_skill>`;
      return { name, active: true, text, content: text };
    }),
  );
}

/** Skills with `always` whose requirements are met, in full. */
export function activeSkillsSection(skills: SkillSource): Section {
  return {
    id: "active-skills",
    render: async (_state, signal) => {
      const texts = (await shownSkills(skills, signal)).filter((skill) => skill.active).map((skill) => skill.text);
      return texts.length === 0 ? undefined : `## Active skills\n${texts.join("\n")}`;
    },
  };
}

/** Every other skill on a line, to be loaded on demand: how is said by `use_skill` and the tool principles. */
export function skillSummarySection(skills: SkillSource): Section {
  return {
    id: "skill-summary",
    render: async (_state, signal) => {
      const others = (await shownSkills(skills, signal)).filter((skill) => !skill.active).map((skill) => skill.text);
      if (others.length === 0) return undefined;
      return `${LIST}${others.join("\n")}\n</skills>`;
    },
  };
}

const LIST = "## Skills\n<skills>\n";

/** Names in a prompt that the two sections are part of, the list at its end. */
export function skillNamesIn(system: string): readonly string[] {
  const active = [...system.matchAll(/^<active_skill name="([^"\n]+)">$/gm)].map(([, name = ""]) => name);
  const listed = /^(?:- ([\w.-]+)[: ]|<skill available="(?:true|false)"><name>([^<\n]+)<\/name>)/gm;
  return [...active, ...[...listIn(system).matchAll(listed)].map(([, name, before]) => name ?? before ?? "")];
}

/** Whether such a prompt shows the skill as it is now: a line that says the same elsewhere is no entry of the list. */
export function isShownIn(system: string, { active, text, content }: ShownSkill): boolean {
  const place = active ? system : listIn(system);
  return place.includes(`${text}\n`) || place.includes(content);
}

function listIn(system: string): string {
  const start = system.lastIndexOf(LIST);
  return start < 0 ? "" : system.slice(start + LIST.length);
}

function skillLine({ name, description, missing }: SkillEntry): string {
  const needs = missing.length === 0 ? "" : ` (unavailable, needs ${missing.join(", ")})`;
  return escapeXml(`- ${name}${needs}: ${description}`.replaceAll(/\s+/g, " ").trimEnd());
}

function skillXml(skill: SkillEntry): string {
  const requires = skill.missing.length === 0 ? "" : `<requires>${escapeXml(skill.missing.join(", "))}</requires>`;
  return (
    `<skill available="${skill.missing.length === 0}"><name>${escapeXml(skill.name)}</name>` +
    `<description>${escapeXml(skill.description)}</description><location>${escapeXml(skill.location)}</location>${requires}</skill>`
  );
}

export function escapeXml(text: string): string {
  return text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;").replaceAll('"', "&quot;");
}
