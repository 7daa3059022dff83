// Active skills in full, the others as a list to load from.
import type { Section } from "../../contract/services.ts";
import type { SkillEntry, SkillSource } from "./section-options.ts";

/** Skills with `always` whose requirements are met, in full (R133). */
export function activeSkillsSection(skills: SkillSource): Section {
  return {
    id: "active-skills",
    render: async (_state, signal) => {
      const active = sorted(await skills.list(signal)).filter((skill) => skill.always && skill.missing.length === 0);
      const texts = await Promise.all(
        active.map(async (skill) => `### ${skill.name}\n${(await skills.read(skill.name, signal)).trim()}`),
      );
      return texts.length === 0 ? undefined : `## Active skills\n\n${texts.join("\n\n")}`;
    },
  };
}

/** Every other skill as XML, to be loaded on demand (R134). */
export function skillSummarySection(skills: SkillSource): Section {
  return {
    id: "skill-summary",
    render: async (_state, signal) => {
      const others = sorted(await skills.list(signal)).filter((skill) => !skill.always || skill.missing.length > 0);
      if (others.length === 0) return undefined;
      return `## Skills\nLoad a skill before you use it: \`use_skill\`, or \`read_file\` on its location.\n<skills>\n${others.map(skillXml).join("\n")}\n</skills>`;
    },
  };
}

function skillXml(skill: SkillEntry): string {
  const requires = skill.missing.length === 0 ? "" : `<requires>${escapeXml(skill.missing.join(", "))}</requires>`;
  return (
    `<skill available="${skill.missing.length === 0}"><name>${escapeXml(skill.name)}</name>` +
    `<description>${escapeXml(skill.description)}</description><location>${escapeXml(skill.location)}</location>${requires}</skill>`
  );
}

function sorted(skills: readonly SkillEntry[]): readonly SkillEntry[] {
  // Code units, not the locale: the order is part of the byte-stable prefix.
  return skills.toSorted((a, b) => (a.name < b.name ? -1 : a.name > b.name ? 1 : 0));
}

function escapeXml(text: string): string {
  return text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;").replaceAll('"', "&quot;");
}
