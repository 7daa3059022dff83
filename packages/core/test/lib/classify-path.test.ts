import { expect, test } from "vitest";
import { classifyPath, type PathClass } from "../../src/lib/paths/path-class.ts";

const STATE = ["/home/me/.margay"];

test.each<[string, PathClass]>([
  ["notes.txt", "inside"],
  ["./a/../b", "inside"],
  ["/home/me/ws/a", "inside"],
  ["src/agents.md", "protected"],
  ["docs/CLAUDE.md", "protected"],
  ["a/.cargo/config.toml", "protected"],
  ["a/cargo/config.toml", "inside"],
  ["src/skills/x", "inside"],
  ["gitignore", "inside"],
  [".gitignore", "inside"],
  ["environment.env", "inside"],
  ["..foo/x", "inside"],
  ["SOUL.md", "protected"],
  ["AGENTS.md", "protected"],
  ["USER.md", "protected"],
  ["TOOLS.md", "protected"],
  ["HEARTBEAT.md", "protected"],
  ["heartbeat.md", "protected"],
  ["memory/MEMORY.md", "protected"],
  ["skills/new/SKILL.md", "protected"],
  ["SKILLS/new/SKILL.md", "protected"],
  ["a/../skills/x", "protected"],
  ["/home/me/ws/skills/x", "protected"],
  [".git/hooks/pre-commit", "protected"],
  ["repo/.git/config", "protected"],
  ["repo/.git", "protected"],
  [".GIT/config", "protected"],
  [".git./config", "protected"],
  [".git /config", "protected"],
  [".git::$INDEX_ALLOCATION/config", "protected"],
  [".g\u200bit/hooks/x", "protected"],
  ["．git/hooks/x", "protected"],
  ["GIT~1/hooks/x", "protected"],
  [".mcp.json", "protected"],
  [".env", "protected"],
  [".env.local", "protected"],
  [".margay/results/x", "protected"],
  ["../ws/a", "inside"],
  ["../other", "outside"],
  ["..", "outside"],
  ["../../../../../..", "outside"],
  ["/home/me/ws-evil/a", "outside"],
  ["/etc/passwd", "outside"],
  ["~/x", "outside"],
  ["~", "outside"],
  ["/home/me/.margay", "state"],
  ["/home/me/.margay/config.json", "state"],
  ["../.margay/cron/jobs.json", "state"],
  ["/home/me/.MARGAY/config.json", "state"],
])("R16 R280 SC32 %j is %s", (path, expected) => {
  expect(classifyPath("/home/me/ws", path, STATE)).toBe(expected);
});

test.each<[string, PathClass]>([
  ["a", "inside"],
  ["../workspace/a", "inside"],
  ["/home/me/.margay/workspace/skills/x", "protected"],
  ["..", "state"],
  ["../config.json", "state"],
  ["../of-tomorrow/x", "state"],
  ["../workspace-evil/x", "state"],
  ["/home/me/.MARGAY/workspace/a", "state"],
  ["../../other", "outside"],
])("R280 a workspace in the state directory: %j is %s", (path, expected) => {
  expect(classifyPath("/home/me/.margay/workspace", path, STATE)).toBe(expected);
});

test.each<[string, PathClass]>([
  ["a\\b", "inside"],
  ["SKILLS\\x", "protected"],
  ["c:\\users\\me\\ws\\a", "inside"],
  ["C:\\Windows\\win.ini", "outside"],
  ["..\\x", "outside"],
  ["\\\\server\\share", "outside"],
  ["D:x", "outside"],
])("R16 with a Windows workspace %j is %s", (path, expected) => {
  expect(classifyPath("C:\\Users\\me\\ws", path)).toBe(expected);
});

test("on Linux a backslash is a letter", () => {
  expect(classifyPath("/ws", "..\\x")).toBe("inside");
});
