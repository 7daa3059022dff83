/** A command of margay in a process of its own, so that no turn waits for it. */
import { spawn } from "node:child_process";
import { join } from "node:path";

export interface OwnProcess {
  readonly home: string;
  readonly env: Readonly<Record<string, string | undefined>>;
}

/** Of what a command said. */
const SAID_CHARS = 2000;

/** @param line Told each line of its output. @throws Error with what it said. */
export async function runMargay(
  { env, home }: OwnProcess,
  words: readonly string[],
  signal: AbortSignal,
  line: (text: string) => void = () => {},
): Promise<void> {
  const folder = import.meta.dirname;
  const program = import.meta.filename.endsWith(".ts")
    ? ["--conditions=margay-source", join(folder, "../../main.ts")]
    : [join(folder, "../bin/margay.js")];
  const child = spawn(process.execPath, [...program, ...words, "--home", home], {
    stdio: ["ignore", "pipe", "pipe"],
    env,
    cwd: home,
    signal,
  });
  let said = "";
  let begun = "";
  for (const stream of [child.stdout, child.stderr])
    stream.setEncoding("utf8").on("data", (text: string) => {
      said = (said + text).slice(-SAID_CHARS);
      const lines = `${begun}${text}`.split("\n");
      begun = lines.pop() ?? "";
      for (const one of lines) line(one);
    });
  const code = await new Promise<number | null>((resolve, reject) => {
    child.once("error", reject);
    child.once("close", resolve);
  });
  if (code !== 0) throw new Error(said.trim());
}
