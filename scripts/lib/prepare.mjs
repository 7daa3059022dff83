// From a fresh clone to something that runs: dependencies and build, each only when needed. Node 20, built-ins only.
import { createHash } from "node:crypto";
import { existsSync, readFileSync, rmSync } from "node:fs";
import { join } from "node:path";

import { alone, runGroup } from "./alone.mjs";
import { isFresh, stamp, stampFile } from "./freshness.mjs";
import { node24, root, say } from "./toolchain.mjs";

/** @returns false when something failed; the reason is on stderr. */
export function prepare() {
  return alone(async () => {
    const wanted = dependencies();
    // npm's own copy of the lock file says what it meant to install; the stamp is written when it had done so.
    if (!isFresh("installed", wanted, ["node_modules"]) && !(await install(wanted))) return false;
    if (!existsSync(node24())) {
      say(
        "The package `node`, which brings Node 24, was installed without its install script. Run: npm rebuild node --ignore-scripts=false",
      );
      return false;
    }
    // build.mjs compares fingerprints first and does nothing when the build is what the sources say.
    const { code, signal } = await runGroup(process.execPath, [join(root, "scripts/build.mjs")]);
    if (code !== 0 && signal === undefined) say("The build failed; the reason is above.");
    return code === 0;
  });
}

/** What node_modules must be made of. */
function dependencies() {
  const lock = readFileSync(join(root, "package-lock.json"));
  return `${createHash("sha256").update(lock).digest("hex")} ${process.platform}-${process.arch}`;
}

async function install(wanted) {
  say(`installing dependencies into ${join(root, "node_modules")} (npm ci, about half a minute) …`);
  try {
    rmSync(stampFile("installed"), { force: true });
    const failure = await npm("ci");
    // A lock file that does not fit package.json is what `npm install` can do something about.
    const last = failure?.reason === "EUSAGE" ? await npm("install") : failure;
    if (last === undefined) {
      stamp("installed", wanted);
      return true;
    }
    if (last.signal === undefined) say(remedy(last.reason));
  } catch (error) {
    say(`npm could not be started (${error.message}). Install Node with npm, then try again.`);
  }
  return false;
}

async function npm(command) {
  const flags = ["--no-audit", "--no-fund", "--loglevel=error"];
  const program = process.platform === "win32" ? "npm.cmd" : "npm";
  const { code, signal, output } = await runGroup(program, [command, ...flags], { env: process.env });
  if (code === 0 && signal === undefined) return undefined;
  return { signal, reason: /npm (?:error|ERR!) code (\w+)/.exec(output)?.[1] ?? "unknown" };
}

const NETWORK =
  "The npm registry could not be reached. Check the network, and the proxy if there is one, then try again.";
const RIGHTS = `Nobody may write to ${join(root, "node_modules")} here. Give this folder to the user who runs margay, then try again.`;
const REMEDIES = {
  ENOSPC: "The disk is full. Free about 1 GB, then try again: what was begun is done anew.",
  EDQUOT: "The disk quota is used up. Free about 1 GB, then try again: what was begun is done anew.",
  EACCES: RIGHTS,
  EPERM: RIGHTS,
  EROFS: `${root} is on a read-only file system. Copy the checkout to one that can be written, then try again.`,
  EMFILE: "Too many files are open. Close programs or raise the limit (ulimit -n 4096), then try again.",
  EINTEGRITY: "A package is not what package-lock.json says. Run `npm cache verify`, then try again.",
  ENOTFOUND: NETWORK,
  EAI_AGAIN: NETWORK,
  ECONNREFUSED: NETWORK,
  ECONNRESET: NETWORK,
  ETIMEDOUT: NETWORK,
  ENETUNREACH: NETWORK,
  ERR_SOCKET_TIMEOUT: NETWORK,
};

/** What to do, by npm's code of the failure. */
function remedy(reason) {
  return (
    REMEDIES[reason] ?? "The dependencies could not be installed; npm's reason is above. Try again when it is gone."
  );
}
