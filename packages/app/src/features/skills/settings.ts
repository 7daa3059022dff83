/** Where the skills of a configuration are, and what they are checked against. */
import { existsSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { type Logger } from "@margay/core";
import { silentLog } from "@margay/core/internal";
import { openSkills } from "@margay/core/builtin";
import { commandEnvironment, type SkillFacts, type Skills } from "@margay/core/internal";
import type { Loaded } from "../../config/load.ts";
import type { Places } from "../../config/paths.ts";

export interface SkillSettings {
  readonly env: Readonly<Record<string, string | undefined>>;
  /** `skills.disabled` as it is now. */
  readonly disabled: () => readonly string[];
  /** Absent: requirements of tools are not checked. */
  readonly tools?: SkillFacts["tools"];
  readonly log?: Logger;
}

export function skillsOf({ config, places, workspace }: Loaded, settings: SkillSettings): Skills {
  const { env: names, pathAppend } = config.tools.exec;
  return openSkills({
    workspace,
    bundled: bundledSkills(),
    approvals: places.docs,
    cache: join(stagingDirectory(places), "parsed.json"),
    disabled: settings.disabled,
    facts: {
      environment: commandEnvironment(settings.env, names, pathAppend),
      features: [], // exec ends everything that a command leaves running
      os: process.platform,
      ...(settings.tools !== undefined && { tools: settings.tools }),
    },
    log: settings.log ?? silentLog,
  });
}

/** Beside the package.json of the program: its sources and its bundle are at different depths below it. */
export function bundledSkills(): string {
  let directory = dirname(fileURLToPath(import.meta.url));
  while (!existsSync(join(directory, "package.json")) && dirname(directory) !== directory)
    directory = dirname(directory);
  return join(directory, "skills");
}

/** What was downloaded and what was parsed; nothing in it is needed. */
export function stagingDirectory(places: Places): string {
  return join(places.home, "skills");
}
