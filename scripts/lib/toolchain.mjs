// What every script needs before anything is installed: paths, the right Node, child processes. Node 20, built-ins only.
import { spawn } from "node:child_process";
import { existsSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";

export const root = dirname(dirname(dirname(fileURLToPath(import.meta.url))));

/** The Node 24 of the devDependency; present after an install. */
export const node24 = join(root, "node_modules", "node", "bin", process.platform === "win32" ? "node.exe" : "node");

/** Progress goes to stderr: stdout belongs to what the person asked for. */
export function say(text) {
  process.stderr.write(`${text}\n`);
}

/** Environment in which `node`, `tsc`, `vitest` … are those of the checkout. */
export function toolEnvironment(extra = {}) {
  const bin = join(root, "node_modules", ".bin");
  return { ...process.env, PATH: `${bin}:${process.env.PATH ?? ""}`, ...extra };
}

/** Entry points of tools need a newer Node than the one that may run us: repeats this script with Node 24. */
export async function onNode24(url) {
  if (Number(process.versions.node.split(".")[0]) >= 24) return;
  if (!existsSync(node24)) throw new Error("Node 24 is not installed in this checkout. Run: npm ci");
  const { code } = await run(node24, [fileURLToPath(url), ...process.argv.slice(2)], { stdio: "inherit" });
  process.exit(code);
}

/**
 * Runs a program to its end.
 * @returns exit code (128 + n for a signal), collected output when not inherited, milliseconds.
 */
export function run(command, args, { stdio = "pipe", env = toolEnvironment(), cwd = root, input } = {}) {
  const started = performance.now();
  return new Promise((resolve, reject) => {
    const child = spawn(command, args, {
      cwd,
      env,
      stdio: stdio === "pipe" ? [input === undefined ? "ignore" : "pipe", "pipe", "pipe"] : stdio,
    });
    let output = "";
    child.stdout?.setEncoding("utf8").on("data", (text) => (output += text));
    child.stderr?.setEncoding("utf8").on("data", (text) => (output += text));
    if (input !== undefined) child.stdin?.end(input);
    const pass = (signal) => child.kill(signal);
    process.on("SIGTERM", pass).on("SIGINT", pass);
    child.on("error", reject);
    child.on("close", (code, signal) => {
      process.off("SIGTERM", pass).off("SIGINT", pass);
      resolve({ code: signal === null ? code : 143, output, ms: Math.round(performance.now() - started) });
    });
  });
}
