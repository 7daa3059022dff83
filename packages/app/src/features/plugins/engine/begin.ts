/** The process of an approved plugin: only of the files that were approved, and only while it offers what was approved. */
import { RuntimeError } from "@margay/core";
import { fault, startPlugin, type PluginProcess } from "@margay/core/internal";
import { locatePackage } from "../../../models/plugin-locate.ts";
import type { ApprovedPlugin } from "./approvals.ts";
import { readPlugin } from "./content.ts";
import { readOffer } from "./offer.ts";

/** @returns `"changed"`: its files are others, and nothing of them ran. @throws RuntimeError `plugin.missing`, `plugin.fault`. */
export function begin(
  home: string,
  name: string,
  plugin: ApprovedPlugin,
  options: Parameters<typeof startPlugin>[1],
): Promise<PluginProcess> | "changed" {
  const { content, path } = current(home, name, plugin);
  // guard: what runs is what a person has looked at.
  return content.hash === plugin.hash ? started(name, plugin, content, options, path) : "changed";
}

/** @throws RuntimeError `plugin.fault`. */
async function started(
  name: string,
  plugin: ApprovedPlugin,
  { code, manifest }: ReturnType<typeof readPlugin>,
  options: Parameters<typeof startPlugin>[1],
  path: string,
): Promise<PluginProcess> {
  const process = await startPlugin({ name, code, ...(plugin.trusted && { trustedPath: path }) }, options);
  const offer = readOffer(process.offer, manifest);
  // Equal code may still say something else: it is asked each time, and a person has seen one answer.
  if (JSON.stringify(offer) === JSON.stringify({ tools: plugin.tools, points: plugin.points })) return process;
  process[Symbol.dispose]();
  throw fault(name, "it offers something else than what was approved");
}

function current(
  home: string,
  name: string,
  plugin: ApprovedPlugin,
): { readonly content: ReturnType<typeof readPlugin>; readonly path: string } {
  const place = locatePackage(plugin.package, { home });
  if (place?.from !== "installed")
    throw new RuntimeError(
      "plugin.missing",
      `The plugin ${name} is not installed any more. Install it with \`margay plugin add\`.`,
    );
  return { content: readPlugin(place), path: place.entry };
}
