// Those who install: root and an ordinary user, each with a folder, an empty npm cache and nothing of this checkout.
import { spawn } from "node:child_process";
import { accessSync, chownSync, constants, cpSync, existsSync, mkdirSync, realpathSync } from "node:fs";
import { delimiter, dirname, join } from "node:path";
import { execFileSync } from "node:child_process";

import { node24 } from "../toolchain.mjs";

/** nobody: owns nothing, and is not in /etc/passwd of every image. */
const ORDINARY = 65534;

/** @returns who can install here: root alone can be both. */
export function people(place) {
  mkdirSync(place, { recursive: true, mode: 0o755 });
  const isRoot = process.getuid?.() === 0;
  return (isRoot ? ["root", "user"] : ["user"]).map((who) => {
    const folder = join(place, who);
    mkdirSync(folder, { recursive: true });
    const ids = isRoot && who === "user" ? { uid: ORDINARY, gid: ORDINARY } : {};
    if (ids.uid !== undefined) chownSync(folder, ORDINARY, ORDINARY);
    return { who, folder, ids };
  });
}

/** The two Nodes, where an ordinary user may reach them: a checkout often lies in a folder that is closed to others. */
export function nodes(place) {
  const made = {};
  for (const [name, program] of [
    ["new", node24()],
    ["old", oldNode()],
  ]) {
    if (program === undefined) continue;
    mkdirSync(join(place, name), { recursive: true });
    const own = join(place, name, "node");
    if (!existsSync(own)) cpSync(realpathSync(program), own, { mode: constants.COPYFILE_FICLONE });
    made[name] = dirname(own);
  }
  return made;
}

/** A Node on PATH that is too old for margay and not too old for its launcher. */
function oldNode() {
  for (const folder of (process.env.PATH ?? "").split(delimiter)) {
    const program = join(folder, "node");
    if (!isProgram(program)) continue;
    if (/^v(20|22)\./.test(execFileSync(program, ["--version"], { encoding: "utf8" }))) return program;
  }
  return undefined;
}

export function folderOfNpm() {
  return (process.env.PATH ?? "").split(delimiter).find((folder) => isProgram(join(folder, "npm")));
}

function isProgram(path) {
  try {
    accessSync(path, constants.X_OK);
    return true;
  } catch {
    return false; // not in this folder
  }
}

/** How this machine reaches a registry: a proxy, and who signs for it. */
function way() {
  const names = ["NODE_EXTRA_CA_CERTS", "HTTPS_PROXY", "https_proxy", "NO_PROXY", "no_proxy", "npm_config_registry"];
  return Object.fromEntries(
    names.filter((name) => process.env[name] !== undefined).map((name) => [name, process.env[name]]),
  );
}

/**
 * Runs a command as that person, with a stranger's environment.
 * @param path Folders of programs, first to last; those of the system follow.
 * @returns `{ code, out, err }`; `child` and `ended` at once with `wait: false`.
 */
export function runAs({ folder, ids }, [command, ...args], { cwd = folder, path = [], extra = {}, wait = true } = {}) {
  const env = {
    PATH: [...path, "/usr/local/sbin", "/usr/local/bin", "/usr/sbin", "/usr/bin", "/sbin", "/bin"].join(delimiter),
    HOME: folder,
    MARGAY_HOME: join(folder, ".margay"),
    LANG: "C.UTF-8",
    npm_config_cache: join(folder, ".npm"),
    npm_config_update_notifier: "false",
    ...way(),
    ...extra,
  };
  const child = spawn(command, args, { cwd, env, stdio: ["ignore", "pipe", "pipe"], ...ids });
  const said = { out: "", err: "" };
  child.stdout.setEncoding("utf8").on("data", (text) => (said.out += text));
  child.stderr.setEncoding("utf8").on("data", (text) => (said.err += text));
  const ended = new Promise((resolve, reject) => {
    child.on("error", reject);
    child.on("close", (code, signal) => resolve({ code: code ?? signal, ...said }));
  });
  return wait ? ended : { child, ended, said };
}
