// What of a git configuration stays: judged by the keys it may have, and compared with what git itself reads of it.
import { execFileSync } from "node:child_process";
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { expect, test } from "vitest";
import { judgeGitConfig } from "../../src/lib/paths/git-config.ts";
import { temporaryFolder } from "../support/folder.ts";

/** Each makes git, or a program that git starts, run what it names. Of git-config(1), gitattributes(5), git-submodule(1), git-lfs-config(5). */
const RUNS = [
  `[core]\n\tfsmonitor = ./evil`,
  `[core]\n\tfsmonitor`,
  `[core]\n\tfsmonitor = true`,
  `[core] fsmonitor = ./evil`,
  `[CORE]\n\tFSMonitor = ./evil`,
  `[core]\n\tfsmoni\\\ntor = ./evil`,
  `[core]\n\thooksPath = .githooks`,
  `[core]\n\tsshCommand = ./evil`,
  `[core]\n\teditor = ./evil`,
  `[core]\n\tpager = ./evil`,
  `[core]\n\taskPass = ./evil`,
  `[core]\n\tgitProxy = ./evil`,
  `[core]\n\tattributesFile = evil`,
  `[core]\n\texcludesFile = evil`,
  `[core]\n\talternateRefsCommand = ./evil`,
  `[core]\n\tworktree = /home`,
  `[core]\n\tbare = false\n\tpager = ./evil`,
  `[sequence]\n\teditor = ./evil`,
  `[pager]\n\tstatus = ./evil`,
  `[pager "status"]\n\tx = ./evil`,
  `[alias]\n\tst = !./evil`,
  `[credential]\n\thelper = !./evil`,
  `[credential "https://h"]\n\thelper = !./evil`,
  `[diff]\n\texternal = ./evil`,
  `[diff "x"]\n\ttextconv = ./evil`,
  `[diff "x"]\n\tcommand = ./evil`,
  `[difftool "x"]\n\tcmd = ./evil`,
  `[mergetool "x"]\n\tcmd = ./evil`,
  `[merge "x"]\n\tdriver = ./evil`,
  `[filter "x"]\n\tclean = ./evil`,
  `[filter "x"]\n\tsmudge = ./evil`,
  `[filter "x"]\n\tprocess = ./evil`,
  `[filter.x]\n\tprocess = ./evil`,
  `[gpg]\n\tprogram = ./evil`,
  `[gpg "ssh"]\n\tprogram = ./evil`,
  `[gpg "ssh"]\n\tdefaultKeyCommand = ./evil`,
  `[commit]\n\tgpgSign = true`,
  `[include]\n\tpath = evil`,
  `[includeIf "gitdir:/"]\n\tpath = evil`,
  `[url "ext::./evil"]\n\tinsteadOf = https://`,
  `[remote "origin"]\n\turl = ext::./evil`,
  `[remote "origin"]\n\turl = "ext:":./evil`,
  `[remote "origin"]\n\tpushurl = ext::./evil`,
  `[remote "origin"]\n\turl = ssh://-oProxyCommand=evil/x`,
  `[remote "origin"]\n\turl = --upload-pack=evil`,
  `[remote "origin"]\n\tuploadpack = ./evil`,
  `[remote "origin"]\n\treceivepack = ./evil`,
  `[remote "origin"]\n\tvcs = evil`,
  `[remote "origin"]\n\tproxy = http://evil`,
  `[branch "main"]\n\tremote = ext::./evil`,
  `[submodule "a"]\n\tupdate = !./evil`,
  `[submodule "a"]\n\turl = ext::./evil`,
  `[http]\n\tproxy = http://evil`,
  `[protocol "ext"]\n\tallow = always`,
  `[uploadpack]\n\tpackObjectsHook = ./evil`,
  `[interactive]\n\tdiffFilter = ./evil`,
  `[trailer "x"]\n\tcommand = ./evil`,
  `[man]\n\tviewer = x`,
  `[browser "x"]\n\tcmd = ./evil`,
  `[web]\n\tbrowser = x`,
  `[instaweb]\n\thttpd = ./evil`,
  `[sendemail]\n\tsmtpServer = /evil`,
  `[init]\n\ttemplateDir = evil`,
  `[core]\n\tbare = false\r[core]\n\tfsmonitor = ./evil`,
  `\ufeff[core]\n\tfsmonitor = ./evil`,
];

test("SC35 of 65 configurations that run programs, or lead to others, each is found", () => {
  expect(RUNS.filter((text) => judgeGitConfig(text).bad.length === 0)).toEqual([]);
});

test("SC35 what is left of a configuration runs nothing, as git itself reads it", async () => {
  await using folder = await temporaryFolder();
  const repository = folder.at("r");
  mkdirSync(repository);
  execFileSync("git", ["init", "-q", repository]);
  const path = folder.at("r", ".git", "config");
  const own = readFileSync(path, "utf8");
  const keys = (): string => execFileSync("git", ["config", "--file", path, "--list", "--name-only"]).toString();
  const before = keys();
  for (const text of RUNS) {
    writeFileSync(path, judgeGitConfig(`${own}${text}\n[user]\n\tname = A\n`).text);
    expect([text, keys().replace(/^core\.bare\n(?=user)/m, "")]).toEqual([text, `${before}user.name\n`]);
  }
});

const PLAIN: Readonly<Record<string, readonly (readonly string[])[]>> = {
  "git init": [],
  "a bare one": [["init", "-q", "--bare", "."]],
  "a clone and a branch that follows": [
    ["remote", "add", "origin", "https://example.org/a/b.git"],
    ["config", "branch.main.remote", "origin"],
    ["config", "branch.main.merge", "refs/heads/main"],
    ["config", "branch.main.description", "what it is # for"],
  ],
  "an address as ssh has it": [["remote", "add", "origin", "git@example.org:a/b.git"]],
  "a person": [
    ["config", "user.name", `A "B" \\ C`],
    ["config", "user.email", "a@b"],
  ],
  "sparse and partial": [
    ["sparse-checkout", "init", "--cone"],
    ["config", "remote.origin.promisor", "true"],
    ["config", "remote.origin.partialclonefilter", "blob:none"],
  ],
  sha256: [["init", "-q", "--object-format=sha256", "other"]],
  "turned off": [
    ["config", "core.fsmonitor", "false"],
    ["config", "commit.gpgsign", "false"],
  ],
};
for (const [name, commands] of Object.entries(PLAIN))
  test(`SC35 ${name}: what git writes is good as it is`, async () => {
    await using folder = await temporaryFolder();
    const run = (args: readonly string[]): unknown => execFileSync("git", args, { cwd: folder.path });
    run(["init", "-q"]);
    for (const command of commands) run(command);
    for (const path of [".git/config", ".git/config.worktree", "config", "other/.git/config"]) {
      let text = "";
      try {
        text = readFileSync(folder.at(path), "utf8");
      } catch {
        continue; // not of this one
      }
      expect(judgeGitConfig(text)).toEqual({ bad: [], text });
    }
  });

test("SC35 what a person put there stays, and what is new beside it goes", () => {
  const before = `[filter "lfs"]\n\tclean = git-lfs clean -- %f\n`;
  const after = `${before}[core]\n\tfsmonitor = ./evil\n`;
  expect(judgeGitConfig(after, { before })).toEqual({ bad: ["core.fsmonitor"], text: `${before}[core]\n` });
  expect(judgeGitConfig(after.replace("git-lfs", "./evil"), { before }).bad).toEqual([
    "filter.lfs.clean",
    "core.fsmonitor",
  ]);
});

test("SC35 only a submodule has its files elsewhere, and only where they belong", () => {
  const text = "[core]\n\tworktree = ../../../sub\n";
  expect(judgeGitConfig(text).bad).toEqual(["core.worktree"]);
  expect(judgeGitConfig(text, { isWorktree: (to) => to === "../../../sub" }).bad).toEqual([]);
});
