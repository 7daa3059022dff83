/** npm in the plugins directory. Scripts of packages never run. */
import { spawn } from "node:child_process";
import { RuntimeError } from "@margay/core";

export interface NpmOptions {
  readonly directory: string;
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly signal: AbortSignal;
}

const MAX_KEPT_CHARS = 20_000;

export function npmArguments(action: "install" | "uninstall", what: string, directory: string): readonly string[] {
  return [action, "--prefix", directory, "--ignore-scripts", "--no-audit", "--no-fund", what];
}

/** @throws RuntimeError `plugin.failed` with npm's last lines; the signal's reason when aborted. */
export async function runNpm(args: readonly string[], { directory, env, signal }: NpmOptions): Promise<void> {
  signal.throwIfAborted();
  const child = spawn("npm", args, { cwd: directory, env, stdio: ["ignore", "pipe", "pipe"] });
  const stop = (): void => void child.kill();
  signal.addEventListener("abort", stop, { once: true });
  let said = "";
  // First of all: without a free descriptor it has no streams, and its error is heard here alone.
  const ending = new Promise<number | string | NodeJS.ErrnoException>((resolve) => {
    child.once("error", resolve);
    child.once("close", (code, name) => resolve(code ?? name ?? "signal"));
  });
  const streams: readonly (typeof child.stdout | undefined)[] = [child.stdout, child.stderr];
  for (const stream of streams)
    stream?.setEncoding("utf8").on("data", (text: string) => (said = (said + text).slice(-MAX_KEPT_CHARS)));
  try {
    const ended = await ending;
    signal.throwIfAborted();
    if (ended === 0) return;
    if (typeof ended === "object")
      throw new RuntimeError(
        "plugin.failed",
        ended.code === "ENOENT"
          ? "npm was not found. Install Node.js with npm, and see that npm is in PATH."
          : `npm could not be started (${ended.code ?? ended.message}). Check that npm runs.`,
        { cause: ended },
      );
    throw new RuntimeError(
      "plugin.failed",
      `npm ended with ${ended}: ${lastWords(said)} Run the command shown to see more.`,
    );
  } finally {
    signal.removeEventListener("abort", stop);
  }
}

/** npm's own error lines without its prefix and the path of its log file. */
function lastWords(said: string): string {
  const lines = said.split("\n").flatMap((line) => {
    const text = line.replace(/^npm (?:error|ERR!) ?/, "").trim();
    return text === "" || text === line.trim() || /complete log of this run|^A complete log|\.log$/.test(text)
      ? []
      : [text];
  });
  const kept = lines.slice(0, 6).join("; ");
  return kept === "" ? "it gave no reason." : /[.!?]$/.test(kept) ? kept : `${kept}.`;
}
