/** Check of the plugins that somebody installed: whether each is as it was approved. */
import { existsSync } from "node:fs";
import type { ConfigCheck, Finding } from "../../host/finding.ts";
import { shortName } from "../../models/known-plugins.ts";
import { pluginsDirectory } from "../../models/plugin-locate.ts";

const FOUND = {
  unapproved: "doctor.pluginWaits",
  changed: "doctor.pluginChanged",
  faults: "doctor.pluginFails",
} as const;

export const checkPlugins: ConfigCheck = async ({ t }, { places: { home } }) => {
  if (!existsSync(pluginsDirectory(home))) return [];
  const { listPlugins } = await import("./service.ts");
  const installed = listPlugins(home).filter(({ from }) => from === "installed");
  const wrong = installed.flatMap(({ package: name, standing = "unapproved" }): readonly Finding[] => {
    if (standing === "approved") return [];
    const plugin = shortName(name);
    const level = standing === "unapproved" ? "warning" : "problem";
    return [
      { id: "plugins", level, text: t(FOUND[standing], { name: plugin }), repair: `margay plugin approve ${plugin}` },
    ];
  });
  if (wrong.length > 0 || installed.length === 0) return wrong;
  return [{ id: "plugins", level: "ok", text: t("doctor.plugins", { count: installed.length }) }];
};
