// Active skills in full, the others as a list to load from.
import type { Section } from "../../contract/services.ts";
import type { SkillEntry, SkillSource } from "./section-options.ts";

/** One skill as the prompt shows it. `text` stands in the prompt exactly so: notices look for it. */
export interface ShownSkill {
  readonly name: string;
  readonly active: boolean;
  readonly text: string;
}

/** Every offered skill, by name in code units: the order is part of the byte-stable prefix. */
export async function shownSkills(skills: SkillSource, signal: AbortSignal): Promise<readonly ShownSkill[]> {
  const listed = (await skills.list(signal)).toSorted((a, b) => (a.name < b.name ? -1 : a.name > b.name ? 1 : 0));
  return Promise.all(
    listed.map(async (skill): Promise<ShownSkill> => {
      const { name } = skill;
      if (!skill.always || skill.missing.length > 0) return { name, active: false, text: skillXml(skill) };
      const body = (skill.body ?? (await skills.read(name, signal))).trim();
      return { name, active: true, text: `<active_skill name="${escapeXml(name)}">\n${body}\n</active_skill>` };
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

/** Every other skill as XML, to be loaded on demand: how is said by `use_skill` and the tool principles. */
export function skillSummarySection(skills: SkillSource): Section {
  return {
    id: "skill-summary",
    render: async (_state, signal) => {
      const others = (await shownSkills(skills, signal)).filter((skill) => !skill.active).map((skill) => skill.text);
      if (others.length === 0) return undefined;
      return `## Skills\n<skills>\n${others.join("\n")}\n</skills>`;
    },
  };
}

/** Names in a prompt that the two sections are part of. */
export function skillNamesIn(system: string): readonly string[] {
  const marks = /^(?:<skill available="(?:true|false)"><name>([^<\n]+)<\/name>|<active_skill name="([^"\n]+)">$)/gm;
  return [...system.matchAll(marks)].map(([, listed, active]) => listed ?? active ?? "");
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
