// From a fresh clone to something that runs: dependencies and build, each only when needed. Node 20, built-ins only.
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";

import { inherit, node24, root, say } from "./toolchain.mjs";

/** @returns false when something failed; the reason is on stderr. */
export async function prepare() {
  if (!installed() && !(await install())) return false;
  if (!existsSync(node24())) {
    say(
      "The package `node`, which brings Node 24, was installed without its install script. Run: npm rebuild node --ignore-scripts=false",
    );
    return false;
  }
  // build.mjs compares fingerprints first and does nothing when the build is what the sources say.
  const code = await inherit(process.execPath, [join(root, "scripts/build.mjs")], {
    stdin: "ignore",
    stdout: "stderr",
  });
  if (code !== 0) say("The build failed; the reason is above.");
  return code === 0;
}

/** Whether node_modules holds what package-lock.json asks for (npm keeps a copy of what it installed). */
function installed() {
  const copy = join(root, "node_modules", ".package-lock.json");
  if (!existsSync(copy)) return false;
  const wanted = JSON.parse(readFileSync(join(root, "package-lock.json"), "utf8")).packages;
  const present = JSON.parse(readFileSync(copy, "utf8")).packages;
  return Object.entries(wanted).every(
    ([path, { version, optional, peer, link }]) =>
      !path.includes("node_modules/") || // the workspaces themselves
      present[path]?.version === version ||
      (link && existsSync(join(root, path))) ||
      ((optional || peer) && present[path] === undefined), // bindings of other platforms
  );
}

async function install() {
  say(`installing dependencies into ${join(root, "node_modules")} (npm ci, about half a minute) …`);
  const flags = ["--no-audit", "--no-fund", "--loglevel=error"];
  if ((await npm(["ci", ...flags])) === 0) return true;
  say("npm ci failed; trying npm install …");
  if ((await npm(["install", ...flags])) === 0) return true;
  say(
    "The dependencies could not be installed; npm's reason is above. Check the network and the npm registry, then try again.",
  );
  return false;
}

function npm(args) {
  return inherit(process.platform === "win32" ? "npm.cmd" : "npm", args, {
    stdin: "ignore",
    stdout: "stderr",
    env: process.env,
  });
}
