// What is wrong with a packed package before anybody installs it.
import { readFileSync } from "node:fs";
import { join } from "node:path";

import { collect, root } from "../toolchain.mjs";

/** Installed, without plugins: what the program may weigh (docs/decisions/0007-one-bundle.md). */
export const MAX_PROGRAM_BYTES = 12e6;
/** Of a plugin: the largest has 1.7 MB. */
const MAX_PLUGIN_BYTES = 4e6;
const MUST = ["package.json", "LICENSE", "README.md"];
const MUST_NOT = /^(src|test|node_modules)\/|\.tsbuildinfo$|\.map$|(^|\/)\.(?!well-known)/;
/** Its newest of these days; it brings a compiler of 60 MB, so it is fetched when it is wanted. */
const TYPES_TOOL = "@arethetypeswrong/cli@0.18.5";

/** @returns complaints; nothing when all is well. */
export async function contentFaults(staged) {
  const manifest = JSON.parse(readFileSync(join(staged.place, "package.json"), "utf8"));
  const named = [
    ...Object.values(manifest.bin ?? {}),
    ...(manifest.man ?? []), // npm links those of a list alone
    ...Object.values(manifest.exports).flatMap((target) =>
      typeof target === "string" ? [target] : Object.values(target),
    ),
  ].map((path) => path.replace(/^\.\//, ""));
  const limit = staged.folder.startsWith("plugins/") ? MAX_PLUGIN_BYTES : MAX_PROGRAM_BYTES;
  return [
    ...MUST.filter((file) => !staged.files.includes(file)).map((file) => `${file} is missing`),
    ...named.filter((file) => !staged.files.includes(file)).map((file) => `${file} is named and missing`),
    ...staged.files.filter((file) => MUST_NOT.test(file)).map((file) => `${file} does not belong there`),
    ...staged.files.filter((file) => holdsPath(join(staged.place, file))).map((file) => `${file} names this checkout`),
    ...(staged.unpacked > limit ? [`${megabytes(staged.unpacked)}, more than ${megabytes(limit)}`] : []),
    ...(await lintFaults(staged)),
  ];
}

function holdsPath(file) {
  return readFileSync(file).includes(root);
}

async function lintFaults({ tarball }) {
  const { publint } = await import("publint");
  const { formatMessage } = await import("publint/utils");
  const bytes = readFileSync(tarball);
  const { messages, pkg } = await publint({
    strict: true,
    pack: { tarball: bytes.buffer.slice(bytes.byteOffset, bytes.byteOffset + bytes.byteLength) },
  });
  return messages.map((message) => formatMessage(message, pkg, { color: false }));
}

/** Asks for the registry. @returns complaints about the types of a package; nothing for one without types. */
export async function typeFaults({ tarball, files }) {
  if (!files.some((file) => file.endsWith(".d.ts"))) return [];
  const args = [
    "exec",
    "--yes",
    `--package=${TYPES_TOOL}`,
    "--",
    "attw",
    tarball,
    "--profile",
    "esm-only",
    "--no-color",
  ];
  const { code, output } = await collect("npm", args);
  return code === 0 ? [] : [output.trim()];
}

export function megabytes(bytes) {
  return `${(bytes / 1e6).toFixed(2)} MB`;
}
