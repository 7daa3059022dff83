/** Check of the skills: what waits for the operator, what was left out, what was forgiven. */
import { join } from "node:path";
import { messageOf } from "@margay/core/internal";
import { readApprovals, type Skill } from "@margay/core/internal";
import type { Loaded } from "../../config/load.ts";
import { skillsOf } from "./settings.ts";
import type { Examined, Finding } from "../../host/finding.ts";

export async function checkSkills(cli: Examined, loaded: Loaded): Promise<readonly Finding[]> {
  const { t, places, environment, signal } = cli;
  try {
    readApprovals(places.docs);
  } catch (error) {
    const text = t("doctor.skillApprovals", { message: messageOf(error) });
    return [{ id: "skills", level: "problem", text, repair: `$EDITOR ${join(places.home, "skills.json")}` }];
  }
  const skills = skillsOf(loaded, { env: environment.env, disabled: () => loaded.config.skills.disabled });
  const all = await skills.all(signal);
  const count = (status: Skill["status"]): number => all.filter((skill) => skill.status === status).length;
  return [
    {
      id: "skills",
      level: "ok",
      text: t("doctor.skills", { ready: count("ready"), unavailable: count("unavailable") }),
    },
    ...all.flatMap((skill) => findings(skill, cli)),
  ];
}

function findings({ name, status, reason, warnings }: Skill, { t }: Examined): readonly Finding[] {
  switch (status) {
    case "unapproved":
    case "changed":
      return [
        {
          id: "skills",
          level: "warning",
          text: t("doctor.skillWaits", { name }),
          repair: `margay skills approve ${name}`,
        },
      ];
    case "broken":
      return [
        {
          id: "skills",
          level: "warning",
          text: t("doctor.skillBroken", { name, reason: reason ?? "" }),
          repair: `margay skills validate ${name}`,
        },
      ];
    case "ready":
    case "unavailable":
      return warnings.map((warning) => ({
        id: "skills",
        level: "warning",
        text: t("doctor.skillWarning", { name, warning }),
        repair: `margay skills validate ${name}`,
      }));
    case "disabled":
    case "shadowed":
      return [];
  }
}
