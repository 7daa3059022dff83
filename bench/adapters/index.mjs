/** Who is measured: the floors, margay from its built bundle, and beside them who is installed in the folder of `--peers`. */
import { existsSync } from "node:fs";
import { join } from "node:path";
import { margay } from "./margay.mjs";
import { pi } from "./pi.mjs";
import { sdk } from "./sdk.mjs";

export const adapters = [
  sdk({
    name: "floor-fetch",
    dir: "floor",
    driver: "floor-fetch",
    note: "raw fetch + minimal SSE parse, whole history stringified each round",
  }),
  sdk({ name: "floor-http", dir: "floor", driver: "floor-http", note: "node:http, messages serialised once" }),
  margay(),
];

/** By folder below that of `--peers`, with the packages that are installed in it. */
const rivals = [
  pi({ name: "pi", dir: "pi", packages: ["@earendil-works/pi-coding-agent"] }),
  sdk({
    name: "pi-agent-core",
    dir: "pi",
    driver: "pi-agent-core",
    packages: ["@earendil-works/pi-agent-core", "@earendil-works/pi-ai"],
  }),
  sdk({ name: "ai-sdk", dir: "ai-sdk", driver: "ai-sdk", packages: ["ai", "@ai-sdk/openai-compatible", "zod"] }),
  sdk({ name: "openai-agents", dir: "openai-agents", driver: "openai-agents", packages: ["@openai/agents", "zod"] }),
];

/** Those of the rivals that are there. @throws when none is, with what to install where. */
export function rivalsIn(folder) {
  const there = rivals.filter(({ dir, packages }) =>
    packages.every((name) => existsSync(join(folder, dir, "node_modules", name))),
  );
  const how = rivals.map(({ dir, packages }) => `  ${dir}: npm install ${packages.join(" ")}`).join("\n");
  if (there.length === 0) throw new Error(`${folder} has none of these, each in its folder:\n${how}`);
  return there;
}
