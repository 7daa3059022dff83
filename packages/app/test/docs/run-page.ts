// Runs the code blocks of one page, in order, in one fresh home, with the built program and a model that answers `ok`.
import { execFileSync, spawn } from "node:child_process";
import {
  chmodSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { parse } from "jsonc-parser";
import type { Json, JsonObject } from "@margay/core";
import { startMockModel } from "@margay/core/testing";
import { MOCK_KEY } from "../gateway/support.ts";
import { ROOT, type Block } from "./pages.ts";
import { SCENES, type Scene, type Words } from "./scenes.ts";

/** Address of Ollama and port of a gateway on a machine where nothing else runs: elsewhere here. */
const OLLAMA = "http://127.0.0.1:11434";
const PORT = "18790";
const LONGEST_MS = 240_000;
const TYPIST = join(import.meta.dirname, "typist.py");

interface Options {
  readonly cwd: string;
  readonly env: NodeJS.ProcessEnv;
}

interface Ended {
  readonly code: number | null;
  readonly output: string;
}

/** @returns what went wrong, one line for each; empty when all of it ran. */
export async function faultsOf(path: string, blocks: readonly Block[]): Promise<readonly string[]> {
  const folder = mkdtempSync(join(tmpdir(), "margay-docs-"));
  await using model = await startMockModel({ rules: "off" });
  const port = await freePort();
  const place = prepare(folder);
  const around = await scenesOf(blocks, folder, model.url, place);
  const options = { ...place, env: { ...place.env, ...around.environment } };
  try {
    const config = { gateway: { port }, providers: { ollama: { baseUrl: `${model.url}/v1`, apiKey: MOCK_KEY } } };
    const file = join(folder, "home/.margay/config.json");
    writeFileSync(file, JSON.stringify(around.configs.reduce(laidOver, config)), { mode: 0o600 });
    const words = await around.words();
    const here = (block: Block): Block => {
      const { with: scenes, typed, ...marks } = block.marks;
      const text = words(scenes, block.text).replaceAll(OLLAMA, model.url).replaceAll(PORT, String(port));
      return { ...block, text, marks: { ...marks, ...(typed !== undefined && { typed: words(scenes, typed) }) } };
    };
    const script = blocks.map((block, index) => stepOf(here(block), index, folder, blocks));
    writeFileSync(join(folder, "page.sh"), `${HEAD}\n${script.join("\n")}\nblock=\n`);
    const { code, output } = await run("bash", [join(folder, "page.sh")], options);
    return [...failureIn(path, blocks, folder, code, output), ...differences(path, blocks, folder)];
  } finally {
    if (around.hasGateway() || blocks.some(({ text }) => text.includes("gateway start")))
      await run("margay", ["gateway", "stop"], options);
    await around.end();
    rmSync(folder, { recursive: true, force: true });
  }
}

interface Around {
  readonly configs: readonly JsonObject[];
  readonly environment: Readonly<Record<string, string>>;
  hasGateway(): boolean;
  /** Lets happen what has happened before. @returns what stands in place of words, of the scenes of a block. */
  words(): Promise<(scenes: string | undefined, text: string) => string>;
  end(): Promise<void>;
}

async function scenesOf(blocks: readonly Block[], folder: string, model: string, options: Options): Promise<Around> {
  let isUp = false;
  const margay = async (...args: readonly string[]): Promise<string> => {
    const { code, output } = await run("margay", args, options);
    if (code !== 0) throw new Error(`margay ${args.join(" ")} ended with ${code}: ${output}`);
    return output;
  };
  const gateway = async (): Promise<void> => {
    isUp = true;
    await margay("gateway", "start");
  };
  const place = { home: join(folder, "home/.margay"), project: join(folder, "project"), model, margay, gateway };
  const names = new Set(blocks.flatMap(({ marks }) => marks["with"]?.split(" ") ?? []));
  const scenes = new Map<string, Scene>();
  for (const name of names) {
    const make = SCENES[name];
    if (make === undefined) throw new Error(`There is no scene ${name}.`);
    scenes.set(name, await make(place));
  }
  const all = [...scenes.values()];
  return {
    configs: all.flatMap(({ config }) => (config === undefined ? [] : [config])),
    environment: Object.assign({}, ...all.map(({ environment }) => environment)) as Record<string, string>,
    hasGateway: () => isUp,
    words: async () => {
      const said = new Map<string, Words>();
      for (const [name, { words = [], before }] of scenes) said.set(name, [...words, ...((await before?.()) ?? [])]);
      return (asked = "", text) =>
        asked
          .split(" ")
          .flatMap((name) => said.get(name) ?? [])
          .reduce((all, [word, stands]) => all.replaceAll(word, stands), text);
    },
    end: async () => {
      for (const { end } of all) await end?.();
    },
  };
}

/** Objects part by part, all else whole. */
function laidOver(below: JsonObject, above: JsonObject): JsonObject {
  const both = Object.entries(above).map(([key, value]): readonly [string, Json] => {
    const under = below[key];
    return [key, isObject(under) && isObject(value) ? laidOver(under, value) : value];
  });
  return { ...below, ...Object.fromEntries(both) };
}

function isObject(value: Json | undefined): value is JsonObject {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

const HEAD = `set -eE -o pipefail
trap 'code=$?; if [ -n "$block" ]; then echo "$block $code" > "$RESULTS/failed"; fi' EXIT`;

/** A home, a project to stand in, and `margay` and `npm start` as they are typed. */
function prepare(folder: string): Options {
  const [home, project, bin, results] = ["home", "project", "bin", "results"].map((name) => join(folder, name));
  if (home === undefined || project === undefined || bin === undefined || results === undefined)
    throw new Error("four");
  for (const each of [home, project, bin, results]) mkdirSync(each);
  mkdirSync(join(home, ".margay"), { mode: 0o700 });
  writeFileSync(join(project, "README.md"), "# Otters\n\nThis folder is about otters.\n");
  writeFileSync(join(project, "package.json"), '{ "name": "otters" }\n');
  execFileSync("git", ["init", "-q", project]);
  symlinkSync(join(ROOT, "node_modules"), join(folder, "node_modules")); // what a reader has installed
  const npm = execFileSync("bash", ["-c", "command -v npm"], { encoding: "utf8" }).trim();
  const program = `exec "${process.execPath}" "${join(ROOT, "packages/app/bin/margay.js")}" "$@"`;
  const shims = {
    margay: program,
    npm: `[ "$1" != install ] || exec "${npm}" "$@"\n[ "$1" = start ] || { echo "only npm start is typed here" >&2; exit 9; }\nshift\n[ "$1" != "--" ] || shift\n${program}`,
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
function stepOf({ language, marks, text }: Block, index: number, folder: string, blocks: readonly Block[]): string {
  const begin = `block=${index}\nexec > "$RESULTS/${index}" 2>&1`;
  if (language === "console") {
    const commands = text.split("\n").flatMap((row) => (row.startsWith("$ ") ? [row.slice(2)] : []));
    return [begin, ...commands].join("\n");
  }
  if (language === "json" || language === "jsonc") {
    // What is shown without its braces is a part of the file.
    const home = join(folder, `config-${index}`);
    mkdirSync(home);
    const config = configOf(text, marks["in"], blocks);
    writeFileSync(join(home, "config.json"), JSON.stringify(config), { mode: 0o600 });
    return `${begin}\nMARGAY_HOME="${home}" margay config show > /dev/null`;
  }
  if (language === "ts") {
    writeFileSync(join(folder, `block-${index}.ts`), text);
    return `${begin}\n"${process.execPath}" "${join(folder, `block-${index}.ts`)}"`;
  }
  if (marks["typed"] !== undefined) {
    const script = join(folder, `block-${index}.sh`);
    writeFileSync(script, `set -eE -o pipefail\n${text}\n`);
    const said = marks["typed"].split(" | ").flatMap((one) => one.split(" => "));
    return `${begin}\npython3 "${TYPIST}" "${script}" ${said.map((word) => `'${word}'`).join(" ")}`;
  }
  // `some-fail`: what has nothing to do says so with exit code 1; a command line that is wrong has another.
  if (marks["some-fail"] !== undefined)
    return `${begin}\nset +e\ntrap 'code=$?; [ $code -le 1 ] || exit $code' ERR\n${text}\ntrap - ERR\nset -e`;
  return `${begin}\n${text}`;
}

/** What is shown without its braces is a part of the file; `in`: of what the first one of the page shows, in place of that key. */
function configOf(text: string, within: string | undefined, blocks: readonly Block[]): JsonObject {
  const shown = parse(text.trimStart().startsWith("{") ? text : `{${text}}`) as JsonObject;
  if (within === undefined) return shown;
  const first = parse(blocks.find(({ language }) => language === "json")?.text ?? "{}") as JsonObject;
  const keys = within.split(".");
  return laidOver(
    first,
    keys.reduceRight<JsonObject>((inner, key) => ({ [key]: inner }), shown),
  );
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

function run(command: string, args: readonly string[], options: Options): Promise<Ended> {
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
