// Completion as the shells do it, and the man page as groff sets it: what `margay completion` prints is given to the real programs.
import { execFileSync, spawnSync } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { COMMANDS } from "../../src/features.ts";
import { HAS_TMUX, startInTerminal } from "../tui/support.ts";
import { margay } from "./harness.ts";

/** @returns the file that holds it, and its folder with `photo.jpg` in it. */
async function script(shell: string, ...flags: readonly string[]): Promise<{ file: string; folder: string }> {
  const folder = mkdtempSync(join(tmpdir(), "margay-completion-"));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  const ran = await margay().run(["completion", shell, ...flags]);
  expect(ran).toMatchObject({ code: 0, err: "" });
  const file = join(folder, shell === "zsh" ? "_margay" : "script");
  writeFileSync(file, ran.out);
  writeFileSync(join(folder, "photo.jpg"), "");
  return { file, folder };
}

/** What a shell offers for a line that ends where the cursor stands. */
type Offer = (line: string) => readonly string[];

async function bash(): Promise<Offer> {
  const { file, folder } = await script("bash");
  return (line) => {
    const words = line.split(" ");
    const program = `source '${file}'; COMP_WORDS=(${words.map((word) => `'${word}'`).join(" ")}); COMP_CWORD=${words.length - 1}
      _margay; printf '%s\\n' "\${COMPREPLY[@]}"`;
    return list(execFileSync("bash", ["--norc", "-uc", program], { cwd: folder, encoding: "utf8" }));
  };
}

async function fish(): Promise<Offer> {
  const { file, folder } = await script("fish");
  return (line) =>
    list(
      execFileSync("fish", ["--no-config", "-c", `source '${file}'; complete --do-complete '${line}'`], {
        ...{ cwd: folder, encoding: "utf8", env: { ...process.env, HOME: folder } },
      }),
    ).map((one) => one.split("\t")[0] ?? "");
}

function list(out: string): readonly string[] {
  return out
    .split("\n")
    .map((one) => one.trim())
    .filter((one) => one !== "");
}

const SHELLS = { bash, fish } as const;
test.each(["bash", "fish"] as const)("in %s commands, options, values and files are completed", async (name) => {
  const offer = await SHELLS[name]();
  const offered = (line: string): readonly string[] => [...offer(line)].sort();
  expect(offered("margay se")).toEqual(["secrets", "sessions"]);
  expect(offered("margay --json sessions ex")).toEqual(["export"]);
  expect(offered("margay sessions export --f")).toEqual(["--format"]);
  expect(offered("margay sessions export --format ")).toEqual(["journal", "seed"]);
  expect(offered("margay agent --image p")).toEqual(["photo.jpg"]);
  expect(offered("margay agent -m ")).toEqual([]);
  expect(offered("margay --lang ")).toEqual(["en", "zh-CN"]);
});

test.skipIf(!HAS_TMUX)(
  "in zsh commands are listed with what they are for, and one that fits is written out",
  async () => {
    const { folder } = await script("zsh");
    await using shell = startInTerminal({ columns: 100, rows: 30 }, () => ["zsh", "-f"]);
    await shell.shows(/[#%]/); // root has the one, others the other
    shell.type(`cd ${folder}; PS1='ready> '; fpath=($PWD $fpath); autoload -Uz compinit; compinit -u -D`);
    shell.press("Enter");
    await shell.shows(/^ready>/m);
    shell.type("margay sess");
    shell.press("Tab");
    await shell.shows(/margay sessions\s*$/m);
    shell.type("ex");
    shell.press("Tab");
    shell.type("--form");
    shell.press("Tab");
    await shell.shows("margay sessions export --format");
    shell.press("Tab");
    await shell.shows(/^journal +seed/m);
    shell.press("C-u");
    shell.type("margay agent --image ph");
    shell.press("Tab");
    await shell.shows("--image photo.jpg");
    shell.press("C-u");
    shell.type("margay se");
    shell.press("Tab");
    await shell.shows(/^sessions +-- list, read, export and remove conversations/m);
  },
);

test("every command stands in every script, and in the man page", async () => {
  for (const kind of ["bash", "zsh", "fish", "man"]) {
    const { out } = await margay().run(["completion", kind]);
    const text = out.replaceAll("\\-", "-");
    for (const { name } of COMMANDS) expect(text, `${kind}: ${name}`).toContain(name);
  }
});

test.each([["en"], ["zh-CN"]])("the man page in %s is set without a warning", async (language) => {
  const { file } = await script("man", "--lang", language);
  const set = spawnSync("groff", ["-k", "-man", "-ww", "-Tutf8", "-P-c", file], { encoding: "utf8" });
  expect({ status: set.status, warnings: set.stderr }).toEqual({ status: 0, warnings: "" });
  const page = set.stdout.replaceAll(/.\u0008/g, "");
  expect(page).toContain("margay sessions export <key>");
  expect(page).toContain('git diff | margay agent -m "review this" --session cli:review');
  const manned = spawnSync("man", ["--warnings", "-l", file], {
    ...{ encoding: "utf8", env: { ...process.env, MANPAGER: "cat", LC_ALL: "C.UTF-8" } },
  });
  expect({ status: manned.status, warnings: manned.stderr }).toEqual({ status: 0, warnings: "" });
});

test("a shell that is not known is refused with the nearest one", async () => {
  const ran = await margay().run(["completion", "bsh"]);
  expect(ran.code).toBe(2);
  expect(ran.err).toContain("Did you mean bash?");
});
