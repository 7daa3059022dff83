// Runs the code blocks of one page, in order, in one fresh home, with the built program and a model that answers `ok`.
import { execFileSync, spawn } from "node:child_process";
import { chmodSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { parse } from "jsonc-parser";
import { startMockModel } from "@margay/core/testing";
import { MOCK_KEY } from "../gateway/support.ts";
import { ROOT, type Block } from "./pages.ts";

/** Address of Ollama and port of a gateway on a machine where nothing else runs: elsewhere here. */
const OLLAMA = "http://127.0.0.1:11434";
const PORT = "18790";
const LONGEST_MS = 60_000;

interface Ended {
  readonly code: number | null;
  readonly output: string;
}

/** @returns what went wrong, one line for each; empty when all of it ran. */
export async function faultsOf(path: string, blocks: readonly Block[]): Promise<readonly string[]> {
  const folder = mkdtempSync(join(tmpdir(), "margay-docs-"));
  await using model = await startMockModel({ rules: "off" });
  const port = await freePort();
  const place = prepare(folder, model.url, port);
  try {
    const here = (text: string): string => text.replaceAll(OLLAMA, model.url).replaceAll(PORT, String(port));
    const script = blocks.map((block, index) => stepOf({ ...block, text: here(block.text) }, index, folder)).join("\n");
    writeFileSync(join(folder, "page.sh"), `${HEAD}\n${script}\nblock=\n`);
    const { code, output } = await run("bash", [join(folder, "page.sh")], place);
    return [...failureIn(path, blocks, folder, code, output), ...differences(path, blocks, folder)];
  } finally {
    if (blocks.some(({ text }) => text.includes("gateway start"))) await run("margay", ["gateway", "stop"], place);
    rmSync(folder, { recursive: true, force: true });
  }
}

const HEAD = `set -eE -o pipefail
trap 'code=$?; if [ -n "$block" ]; then echo "$block $code" > "$RESULTS/failed"; fi' EXIT`;

/** A home, a project to stand in, and `margay` and `npm start` as they are typed. */
function prepare(
  folder: string,
  model: string,
  port: number,
): { readonly cwd: string; readonly env: NodeJS.ProcessEnv } {
  const [home, project, bin, results] = ["home", "project", "bin", "results"].map((name) => join(folder, name));
  if (home === undefined || project === undefined || bin === undefined || results === undefined)
    throw new Error("four");
  for (const each of [home, project, bin, results]) mkdirSync(each);
  mkdirSync(join(home, ".margay"), { mode: 0o700 });
  const config = {
    gateway: { port },
    providers: { ollama: { baseUrl: `${model}/v1`, apiKey: MOCK_KEY } },
  };
  writeFileSync(join(home, ".margay/config.json"), JSON.stringify(config), { mode: 0o600 });
  writeFileSync(join(project, "README.md"), "# Otters\n\nThis folder is about otters.\n");
  writeFileSync(join(project, "package.json"), '{ "name": "otters" }\n');
  execFileSync("git", ["init", "-q", project]);
  const program = `exec "${process.execPath}" "${join(ROOT, "packages/app/bin/margay.js")}" "$@"`;
  const shims = {
    margay: program,
    npm: `[ "$1" = start ] || { echo "only npm start is typed here" >&2; exit 9; }\nshift\n[ "$1" != "--" ] || shift\n${program}`,
  };
  for (const [name, text] of Object.entries(shims)) {
    writeFileSync(join(bin, name), `#!/bin/sh\n${text}\n`);
    chmodSync(join(bin, name), 0o755);
  }
  const { PATH = "" } = process.env;
  const own = { HOME: home, PATH: `${bin}:${PATH}`, LANG: "C.UTF-8", RESULTS: results, TMPDIR: folder };
  return { cwd: project, env: { ...own, REPO_HOOK_SECRET: "whsec_for-the-test-of-the-page" } };
}

/** A block as part of the script. */
function stepOf({ language, marks, text }: Block, index: number, folder: string): string {
  const begin = `block=${index}\nexec > "$RESULTS/${index}" 2>&1`;
  if (language === "console") {
    const commands = text.split("\n").flatMap((row) => (row.startsWith("$ ") ? [row.slice(2)] : []));
    return [begin, ...commands].join("\n");
  }
  if (language === "json" || language === "jsonc") {
    // What is shown without its braces is a part of the file.
    const home = join(folder, `config-${index}`);
    mkdirSync(home);
    const config: unknown = parse(text.trimStart().startsWith("{") ? text : `{${text}}`);
    writeFileSync(join(home, "config.json"), JSON.stringify(config), { mode: 0o600 });
    return `${begin}\nMARGAY_HOME="${home}" margay config show > /dev/null`;
  }
  // `some-fail`: what has nothing to do says so with exit code 1; a command line that is wrong has another.
  if (marks["some-fail"] !== undefined)
    return `${begin}\nset +e\ntrap 'code=$?; [ $code -le 1 ] || exit $code' ERR\n${text}\ntrap - ERR\nset -e`;
  return `${begin}\n${text}`;
}

function failureIn(
  path: string,
  blocks: readonly Block[],
  folder: string,
  code: number | null,
  output: string,
): readonly string[] {
  const file = join(folder, "results/failed");
  if (!existsSync(file)) return code === 0 ? [] : [`${path}: ended with ${code}: ${output}`];
  const [index = "0", exit = ""] = readFileSync(file, "utf8").trim().split(" ");
  const said = readFileSync(join(folder, "results", index), "utf8")
    .trim()
    .split("\n")
    .slice(-6)
    .join("\n");
  return [`${path}:${blocks[Number(index)]?.line} ended with ${exit}: ${said}`];
}

/** What a `console` block shows and what was printed. */
function differences(path: string, blocks: readonly Block[], folder: string): readonly string[] {
  return blocks.flatMap(({ language, text, line }, index) => {
    const file = join(folder, "results", String(index));
    if (language !== "console" || !existsSync(file)) return [];
    const shown = text.split("\n").filter((row) => !row.startsWith("$ "));
    const printed = `${readFileSync(file, "utf8").trimEnd()}\n`;
    return patternOf(shown).test(printed) ? [] : [`${path}:${line} shows what was not printed:\n${printed}`];
  });
}

/** `…` is anything in a line; alone in a line it is any number of lines. */
function patternOf(rows: readonly string[]): RegExp {
  const parts = rows.map((row) =>
    row === "…"
      ? String.raw`(?:.*\n)*`
      : `${row
          .split("…")
          .map((part) => part.replaceAll(/[\\^$.*+?()[\]{}|]/g, String.raw`\$&`))
          .join(".*")}\\n`,
  );
  return new RegExp(`^${parts.join("")}$`);
}

function run(
  command: string,
  args: readonly string[],
  options: { readonly cwd: string; readonly env: NodeJS.ProcessEnv },
): Promise<Ended> {
  return new Promise((resolve, reject) => {
    const child = spawn(command, args, { ...options, stdio: ["ignore", "pipe", "pipe"], detached: true });
    // With what it started: a block that never ends fails its page, and nothing stays.
    const late = setTimeout(() => process.kill(-(child.pid ?? process.pid), "SIGKILL"), LONGEST_MS);
    let output = "";
    for (const stream of [child.stdout, child.stderr]) stream.on("data", (part: Buffer) => (output += part.toString()));
    child.on("error", reject);
    child.on("exit", (code) => {
      clearTimeout(late);
      resolve({ code, output });
    });
  });
}

function freePort(): Promise<number> {
  return new Promise((resolve) => {
    const server = createServer().listen(0, "127.0.0.1", () => {
      const address = server.address();
      server.close(() => resolve(typeof address === "object" && address !== null ? address.port : 0));
    });
  });
}
