// Homes that a test backs up or moves, and what makes two of them equal.
import { spawn } from "node:child_process";
import { createHash } from "node:crypto";
import { lstatSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import type { Ran } from "../cli/harness.ts";

export const PROGRAM = fileURLToPath(new URL("../../src/main.ts", import.meta.url));

/** Without what is made anew at every start. */
export function hashes(home: string): Readonly<Record<string, string>> {
  const paths = filesBelow(home).filter(
    (path) => !/^(?:lock|control|margay\.log|index\/|backup\/|(?:moved|arrival)\.json$)|\.cache$/.test(path),
  );
  return Object.fromEntries(
    paths.map((path) => [
      path,
      createHash("sha256")
        .update(readFileSync(join(home, path)))
        .digest("hex"),
    ]),
  );
}

export function filesBelow(folder: string): readonly string[] {
  return readdirSync(folder, { recursive: true, encoding: "utf8" })
    .filter((path) => lstatSync(join(folder, path)).isFile())
    .toSorted();
}

/** What a way through a test depends on: it ended so, and said that. */
export function needed(ran: Ran, code = 0, says = ""): Ran {
  if (ran.code === code && `${ran.out}${ran.err}`.includes(says)) return ran;
  throw new Error(
    `${String(ran.code)} instead of ${String(code)}, and ${JSON.stringify(says)} in: ${ran.out}${ran.err}`,
  );
}

/** A command in a process of its own, killed when it renames the n-th time. @returns its exit code; null when it was killed. */
export async function killedAtRename(
  rename: number,
  home: string,
  argv: readonly string[],
): Promise<{ readonly code: number | null; readonly said: string }> {
  const at = ["-f", "-o", "/dev/null", "-e", "trace=rename", "-e"];
  const child = spawn(
    "strace",
    [
      ...at,
      `inject=rename:signal=SIGKILL:when=${String(rename)}`,
      process.execPath,
      "--conditions=margay-source",
      PROGRAM,
      ...argv,
    ],
    { env: { ...process.env, MARGAY_HOME: home }, stdio: ["ignore", "pipe", "pipe"] },
  );
  let said = "";
  for (const stream of [child.stdout, child.stderr])
    stream.on("data", (part: Buffer) => (said += part.toString("utf8")));
  const code = await new Promise<number | null>((resolve, reject) => {
    child.once("error", reject);
    child.once("close", resolve);
  });
  return { code, said };
}
