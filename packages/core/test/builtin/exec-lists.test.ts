import { expect, test } from "vitest";
import { classifyCommand, compileLists, hasDynamicHead } from "../../src/builtin/exec/lists.ts";
import { deniedText } from "../../src/lib/errors/denied-text.ts";
import { splitCommand } from "../../src/builtin/exec/segments.ts";
import { cpuOf } from "../../src/testing/cpu.ts";

const none = compileLists([], []);
const verdictOf = (command: string): string => classifyCommand(command, none).verdict;

// Pattern as promised, a command that matches, a near miss.
const promised: readonly (readonly [string, string, string])[] = [
  [String.raw`\brm\s+.*-[a-zA-Z]*r[a-zA-Z]*f`, "rm -rf build", "rm -r build"],
  [String.raw`\bmkfs\b`, "mkfs.ext4 /dev/sda1", "man mkfsx"],
  [String.raw`\bdd\b.*\bof=\/`, "dd if=/dev/zero of=/dev/sda", "dd if=a.img of=b.img"],
  [String.raw`\bchmod\s+777\b`, "chmod 777 run.sh", "chmod 755 run.sh"],
  [String.raw`>\s*\/dev\/sd`, "echo x > /dev/sda", "echo x > /dev/null"],
  [String.raw`\bshutdown\b`, "shutdown -h now", "ls shutdowns"],
  [String.raw`\breboot\b`, "sudo reboot", "cat rebooted.log"],
];
test.each(promised)("R106 R408 %s: `%s` is listed, `%s` is not", (pattern, listed, nearMiss) => {
  expect(classifyCommand(listed, none)).toMatchObject({ verdict: "deny-listed", pattern, configured: false });
  expect(verdictOf(nearMiss)).toBe("ok");
});

test.each([
  "rm -fr build",
  "rm --recursive --force build",
  "rm --force --recursive build",
  "rm -r -f build",
  "rm -Rf build",
  "del /f notes.txt",
  "rmdir /s folder",
  "diskpart",
  "poweroff",
  "halt",
  "init 0",
  "init 6",
  ":(){ :|:& };:",
  "b(){ b|b& }; b",
])("R106 `%s` is listed too", (command) => expect(verdictOf(command)).toBe("deny-listed"));

test.each(["rm --force old.txt", "rm -r a; ls -f", "git init 7", "f() { a | b & }", "del notes.txt"])(
  "R106 `%s` is not listed",
  (command) => expect(verdictOf(command)).toBe("ok"),
);

test("EX6 the list is applied to the whole command, inside quotes and over line continuations", () => {
  for (const command of [
    'echo "rm -rf /"',
    "true; rm -rf x",
    "rm \\\n  -rf x",
    "r\\\nm -rf x",
    "$(rm -rf x)",
    "rm\t-rf\tx",
  ])
    expect(verdictOf(command)).toBe("deny-listed");
});

test("R106 the refusal names the pattern", () => {
  expect(deniedText(String.raw`\breboot\b`)).toBe(
    String.raw`Error: exec refused: the command matches the deny list (\breboot\b). Next: use a safer command or ask the operator.`,
  );
});

test("R107 EX7 with an allow list each segment must fully match a pattern", () => {
  const lists = compileLists([], ["git status", "ls( -[a-z]+)*( \\S+)?", "grep .*", "sleep \\d+( &)?", "make.* 2>&1"]);
  const verdict = (command: string): string => classifyCommand(command, lists).verdict;
  for (const command of [
    "git status",
    "git status; ls -la",
    "ls && ls || ls | grep x",
    "ls\nls",
    "sleep 5 &",
    "make all 2>&1 | grep x",
    "grep 'a;b' c",
  ])
    expect([command, verdict(command)]).toEqual([command, "allowed"]);
  for (const command of [
    "git status --short",
    "ls; whoami",
    "ls & whoami",
    "ls | whoami",
    "ls\nwhoami",
    "grep $(whoami) x",
    "grep `whoami` x",
    'grep "$(whoami)" x',
    "grep x <(whoami)",
    "whoami",
    "",
  ])
    expect([command, verdict(command)]).toEqual([command, "not-allowed"]);
});

test("R107 what the shell would run cannot hide from the lexer", () => {
  const lists = compileLists([], ["echo[^]*", "cat[^]*"]);
  const verdict = (command: string): string => classifyCommand(command, lists).verdict;
  for (const command of [
    "echo \\>& whoami", // an escaped `>`: the `&` ends the command
    "echo \\ #; whoami", // an escaped blank: no comment
    "echo # it's\nwhoami #'", // the quote is in the comment
    "echo # \\\nwhoami", // a comment ends at its line
    "cat <<E\n$(whoami)\nE",
    'echo "unclosed; whoami',
    'echo "$(case x in x) whoami;; esac)"',
    "echo a\u00a0; whoami",
  ])
    expect([command, verdict(command)]).toEqual([command, "not-allowed"]);
});

test("EX8 an allow match lifts the built-in list, never a configured pattern", () => {
  const lists = compileLists(["secret"], ["rm -rf \\w+", "cat \\w+"]);
  expect(classifyCommand("rm -rf build", lists).verdict).toBe("allowed");
  expect(classifyCommand("rm -rf build/x", lists).verdict).toBe("deny-listed");
  expect(classifyCommand("cat secret", lists)).toMatchObject({
    verdict: "deny-listed",
    pattern: "secret",
    configured: true,
  });
});

test("EX7 substitutions are segments of their own, after the one that holds them", () => {
  expect(splitCommand('echo $(date | tr `x` y) "$(id)" && ls')).toEqual({
    texts: ['echo $(date | tr `x` y) "$(id)"', "date", "tr `x` y", "x", "id", "ls"],
    certain: true,
  });
});

test("a name that is computed while the command runs is told apart", () => {
  for (const command of ["$cmd x", "A=1 eval x", "`x` y", "source x"])
    expect(hasDynamicHead(splitCommand(command).texts)).toBe(true);
  for (const command of ["ls $HOME", "A=1 ls", "sourced x"])
    expect(hasDynamicHead(splitCommand(command).texts)).toBe(false);
});

test("R106 a hostile command of 120,000 characters is judged without a long pause", async () => {
  for (const command of [
    "rm ".repeat(40_000),
    `rm -${"r".repeat(120_000)}`,
    "$(".repeat(60_000),
    "a()".repeat(40_000),
  ]) {
    expect(await cpuOf(() => classifyCommand(command, none))).toBeLessThan(2_000);
  }
});
