/** Checks that every session can be read to its end. */
import { existsSync } from "node:fs";
import { join } from "node:path";
import { hasCode } from "@margay/core";
import { readArchive, stateOf } from "../../host/cli/archive.ts";
import { failureText } from "../../host/cli/failure.ts";
import type { Check, Finding } from "../../host/finding.ts";

export const checkSessions: Check = async (cli) => {
  const { t, language, places } = cli;
  // Opening the archive makes its folder, which fails where nothing can be written.
  if (!existsSync(join(places.home, "sessions"))) return [];
  const { found, damaged } = await readArchive(cli, stateOf);
  if (damaged.length === 0)
    return [{ id: "sessions", level: "ok", text: t("doctor.sessions", { count: found.length }) }];
  return damaged.map(({ id, key, error }): Finding => {
    const path = join(places.home, "sessions", `${id}.journal`);
    const fault = failureText(error, { t, language, home: places.home, log: places.log }).trim();
    return {
      id: "sessions",
      level: "problem",
      text: t("doctor.sessionDamaged", { key, fault }),
      // One that only a newer margay reads is not damaged: nothing of it may be moved away.
      ...(!hasCode(error, "journal.version") && { repair: `mv '${path}' '${path}.damaged'` }),
    };
  });
};
