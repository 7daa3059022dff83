/** Plugins as they lie in a home: written, looked at and approved, without npm. */
import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { systemClock } from "@margay/core/internal";
import { approveReviewed, reviewPlugin, type PluginReview } from "../../src/features/plugins/review.ts";
import { installedFolder, locatePackage } from "../../src/models/plugin-locate.ts";

export interface TestPlugin {
  readonly name: string;
  readonly contract?: "tool/1" | "hook/1";
  /** Beside contract and name. */
  readonly manifest?: object;
  readonly code: string;
  readonly trusted?: boolean;
}

/** The code of a plugin with one tool `run`. @param body of `execute(input, call)`. */
export function oneTool(name: string, body: string, more = ""): string {
  return `export const plugin = { contract: "tool/1", name: ${JSON.stringify(name)}, tools: (host) => [{
  name: "run", description: "Runs.", input: { type: "object", properties: { text: { type: "string" } } }, effect: "read", ${more}
  execute: async (input, call) => { ${body} } }] };\n`;
}

export function writePlugin(home: string, { name, contract = "tool/1", manifest = {}, code }: TestPlugin): string {
  const folder = installedFolder(home, `margay-${name}`);
  mkdirSync(folder, { recursive: true });
  const about = { name: `margay-${name}`, version: "1.0.0", type: "module", license: "MIT", exports: "./index.js" };
  writeFileSync(join(folder, "package.json"), JSON.stringify({ ...about, margay: { plugin: "plugin.json" } }));
  writeFileSync(join(folder, "plugin.json"), JSON.stringify({ contract, name, ...manifest }));
  writeFileSync(join(folder, "index.js"), code);
  return folder;
}

/** Looks at it in a home of its own. @throws as `margay plugin add` does. */
export async function reviewOf(plugin: TestPlugin): Promise<PluginReview> {
  const home = realpathSync(mkdtempSync(join(tmpdir(), "margay-plugin-")));
  try {
    writePlugin(home, plugin);
    const place = locatePackage(`margay-${plugin.name}`, { home });
    if (place === undefined) throw new Error("it was not written");
    return await reviewPlugin(place, plugin.trusted === true, systemClock());
  } finally {
    rmSync(home, { recursive: true, force: true });
  }
}

/** @returns what puts them into a home that nobody has opened. */
export async function approved(
  ...plugins: readonly TestPlugin[]
): Promise<(place: { readonly home: string }) => Promise<void>> {
  const reviews = await Promise.all(plugins.map(reviewOf));
  return async ({ home }) => {
    for (const [index, plugin] of plugins.entries()) {
      writePlugin(home, plugin);
      const review = reviews[index];
      if (review !== undefined) await approveReviewed(home, review, Date.UTC(2026, 10, 29));
    }
  };
}
