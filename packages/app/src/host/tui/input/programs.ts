/** Programs that the person starts from the chat: their editor, a command of their own, what reads the clipboard. */
import { randomUUID } from "node:crypto";
import { readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

type Env = Readonly<Record<string, string | undefined>>;

/**
 * The person's editor over a text; the terminal is the editor's meanwhile.
 * @returns undefined when it failed: the text stays as it was.
 */
export async function editText(text: string, env: Env): Promise<string | undefined> {
  const chosen = [env["VISUAL"], env["EDITOR"]].find((one) => one !== undefined && one.trim() !== "") ?? "vi";
  const path = join(tmpdir(), `margay-${randomUUID()}.md`);
  writeFileSync(path, text, { mode: 0o600, flag: "wx" });
  try {
    const { spawn } = process.getBuiltinModule("node:child_process");
    // As git does it: the variable may hold options.
    const child = spawn("/bin/sh", ["-c", `${chosen} "$1"`, "sh", path], { stdio: "inherit", env });
    const code = await new Promise<number | null>((resolve) => {
      child.once("error", () => resolve(null));
      child.once("close", resolve);
    });
    return code === 0 ? readFileSync(path, "utf8").replace(/\n$/, "") : undefined;
  } finally {
    rmSync(path, { force: true });
  }
}

export interface OwnRun {
  /** Standard output and error as they came, at most the last `MAX_OUTPUT_CHARS`. */
  readonly output: string;
  /** Null: it was ended, or never began. */
  readonly code: number | null;
}

const MAX_OUTPUT_CHARS = 100_000;

/** `!command`: in the person's shell, in the workspace, with the person's rights; the model hears nothing of it. */
export async function runOwn(
  command: string,
  { env, cwd, signal }: { readonly env: Env; readonly cwd: string; readonly signal: AbortSignal },
): Promise<OwnRun> {
  const { spawn } = process.getBuiltinModule("node:child_process");
  const shell = env["SHELL"] ?? "/bin/sh";
  // A group of its own: what the command started ends with it.
  const child = spawn(shell, ["-c", command], { cwd, env, stdio: ["ignore", "pipe", "pipe"], detached: true });
  let output = "";
  for (const stream of [child.stdout, child.stderr])
    stream.setEncoding("utf8").on("data", (text: string) => {
      output = (output + text).slice(-MAX_OUTPUT_CHARS);
    });
  const end = (): void => {
    if (child.pid !== undefined && child.exitCode === null) process.kill(-child.pid, "SIGTERM");
  };
  signal.addEventListener("abort", end, { once: true });
  try {
    const code = await new Promise<number | null>((resolve) => {
      child.once("error", (error) => {
        output += error.message;
        resolve(null);
      });
      child.once("close", resolve);
    });
    return { output, code };
  } finally {
    signal.removeEventListener("abort", end);
  }
}

/** Who reads a picture from the clipboard, tried in this order. */
const READERS: readonly (readonly [program: string, ...args: readonly string[]])[] = [
  ["wl-paste", "--no-newline", "--type", "image/png"],
  ["xclip", "-selection", "clipboard", "-target", "image/png", "-out"],
  ["pngpaste", "-"],
];
const MAX_IMAGE_BYTES = 25_000_000;

/** @returns undefined: no picture is there, or no program that reads it. */
export async function clipboardImage(env: Env): Promise<Uint8Array | undefined> {
  const { execFile } = process.getBuiltinModule("node:child_process");
  for (const [program, ...args] of READERS) {
    const bytes = await new Promise<Buffer | undefined>((resolve) => {
      execFile(program, args, { env, encoding: "buffer", maxBuffer: MAX_IMAGE_BYTES, timeout: 5000 }, (error, out) =>
        resolve(error === null && out.length > 0 ? out : undefined),
      );
    });
    if (bytes !== undefined) return bytes;
  }
  return undefined;
}
