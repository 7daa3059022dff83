import { expect, test } from "vitest";
import { margay } from "./harness.ts";

test.each([
  [["agnt"], "There is no command agnt. Did you mean agent? See `margay --help`. [usage.wrong]\n"],
  [["sessions", "lst"], "There is no command lst. Did you mean list? See `margay sessions --help`. [usage.wrong]\n"],
  [
    ["agent", "--mesage", "hi"],
    "There is no option --mesage. Did you mean --message? See `margay agent --help`. [usage.wrong]\n",
  ],
  [["agent", "-m"], "The option -m, --message <text> needs a value. See `margay agent --help`. [usage.wrong]\n"],
  [["explain"], "The argument session is missing. See `margay explain --help`. [usage.wrong]\n"],
  [
    ["usage", "--by", "week"],
    "--by <group> cannot be week; it must be day, model, session, source. See `margay usage --help`. [usage.wrong]\n",
  ],
  [
    ["explain", "a", "b"],
    "There are too many arguments. Put a text with spaces in quotes; see `margay explain --help`. [usage.wrong]\n",
  ],
  [
    ["sessions", "list", "--limit", "many"],
    "--limit cannot be many; it must be a whole number from 1 to 999999999. See `margay --help`. [usage.wrong]\n",
  ],
])("a mistyped command line %j is refused with the nearest known word and exit code 2", async (argv, message) => {
  const { code, out, err } = await margay().run(argv);
  expect({ code, out, err }).toEqual({ code: 2, out: "", err: message });
});

test("R315 usage errors and help are in the language asked for", async () => {
  const app = margay();
  expect((await app.run(["agnt", "--lang", "zh-CN"])).err).toContain("没有 agnt 这个命令。 您是否想写 agent？");
  expect((await app.run(["agent", "--help", "--lang=zh-CN"])).out).toContain("用法：");
  app.configure({ profile: "countbot" });
  expect((await app.run(["sessions", "list"])).out).toBe("还没有会话。\n");
});

test("help has examples and goes to stdout with exit code 0", async () => {
  const { code, out, err } = await margay().run(["agent", "--help"]);
  expect({ code, err }).toEqual({ code: 0, err: "" });
  expect(out).toContain('margay agent -m "read notes.txt');
  expect(out).toContain("Common options:");
});

test("a group alone shows its commands", async () => {
  const { code, out } = await margay().run(["sessions"]);
  expect(code).toBe(0);
  expect(out).toContain("export [options] <key>");
});

test("--version among other words prints the version", async () => {
  expect((await margay().run(["--version", "--json"])).out).toBe('{"version":"1.2.3"}\n');
});

test("with --json an error is one JSON document on stdout and nothing else", async () => {
  const { code, out, err } = await margay().run(["sessions", "show", "cli:nobody", "--json"]);
  expect({ code, err }).toEqual({ code: 1, err: "" });
  expect(JSON.parse(out)).toMatchObject({ type: "error", code: "session.missing" });
});
