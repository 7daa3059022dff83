// What every script needs before anything is installed: paths, the right Node, child processes. Node 20, built-ins only.
import { spawn } from "node:child_process";
import { existsSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";

export const root = dirname(dirname(dirname(fileURLToPath(import.meta.url))));

/** The Node 24 of the devDependency; the running Node when that is missing and this one will do. */
export function node24() {
  const ours = join(root, "node_modules", "node", "bin", process.platform === "win32" ? "node.exe" : "node");
  const [major, minor] = process.versions.node.split(".").map(Number);
  const willDo = major > 24 || (major === 24 && minor >= 15);
  return existsSync(ours) || !willDo ? ours : process.execPath;
}

/** Progress goes to stderr: stdout belongs to what the person asked for. */
export function say(text) {
  process.stderr.write(`${text}\n`);
}

/** Environment in which `node`, `tsc`, `vitest` … are those of the checkout. */
export function toolEnvironment(extra = {}) {
  const bin = join(root, "node_modules", ".bin");
  return { ...process.env, PATH: `${bin}:${process.env.PATH ?? ""}`, ...extra };
}

/** The tools need a newer Node than the one that may run us: repeats this script with Node 24 and ends as it ends. */
export async function onNode24(url) {
  if (Number(process.versions.node.split(".")[0]) >= 24) return;
  if (!existsSync(node24())) throw new Error("Node 24 is not installed in this checkout. Run: npm ci");
  process.exit(await inherit(node24(), [fileURLToPath(url), ...process.argv.slice(2)]));
}

/**
 * Runs a program and collects what it prints, stdout and stderr in one.
 * @returns exit code (1 when a signal ended it), output, milliseconds.
 */
export function collect(command, args, { env = toolEnvironment(), cwd = root } = {}) {
  const started = performance.now();
  return new Promise((resolve, reject) => {
    const child = spawn(command, args, { cwd, env, stdio: ["ignore", "pipe", "pipe"] });
    let output = "";
    child.stdout.setEncoding("utf8").on("data", (text) => (output += text));
    child.stderr.setEncoding("utf8").on("data", (text) => (output += text));
    child.on("error", reject);
    child.on("close", (code) => resolve({ code: code ?? 1, output, ms: performance.now() - started }));
  });
}

/**
 * Runs a program in our place: same terminal, same signals.
 * @param stdout `"stderr"` keeps its output out of our stdout.
 * @param heard gets what it prints where nobody watches a terminal; there it keeps the terminal to itself.
 * @returns exit code, 128 + n when signal n ended it.
 */
export function inherit(
  command,
  args,
  { env = toolEnvironment(), cwd = root, stdin = "inherit", stdout = "inherit", heard } = {},
) {
  return new Promise((resolve, reject) => {
    const listens = heard !== undefined && !process.stdout.isTTY;
    const outputs = listens ? ["pipe", "pipe"] : [stdout === "stderr" ? 2 : stdout, "inherit"];
    const child = spawn(command, args, { cwd, env, stdio: [stdin, ...outputs] });
    for (const [from, to] of [
      [child.stdout, process.stdout],
      [child.stderr, process.stderr],
    ])
      from?.on("data", (bytes) => {
        heard(bytes);
        to.write(bytes);
      });
    const forward = (signal) => {
      // Ctrl-C reaches the child from the terminal itself; passing it on would make one key press two.
      if (signal !== "SIGINT" || !process.stdin.isTTY) child.kill(signal);
    };
    const signals = ["SIGINT", "SIGTERM", "SIGHUP"];
    for (const signal of signals) process.on(signal, forward);
    child.on("error", reject);
    child.on("close", (code, signal) => {
      for (const name of signals) process.off(name, forward);
      resolve(code ?? 128 + ({ SIGHUP: 1, SIGINT: 2, SIGKILL: 9, SIGTERM: 15 }[signal] ?? 0));
    });
  });
}
