// Leaving a question unanswered is no failure of ours: a real terminal, because the keys are the terminal's.
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { expect, test } from "vitest";
import { HAS_TMUX, startInTerminal } from "../tui/support.ts";
import { margay } from "./harness.ts";

const BIN = join(dirname(fileURLToPath(import.meta.url)), "../../bin/margay.js");

test.skipIf(!HAS_TMUX).each([
  ["C-d", 1, "Nothing was removed."],
  ["C-c", 130, ""],
])("a question left with %s changes nothing and ends with exit code %i", async (key, code, said) => {
  const app = margay();
  await app.run(["agent", "-m", "hello"]);
  const command = `${process.execPath} ${BIN} --home ${app.home} sessions delete cli:direct`;
  // The harness keeps stderr in a file; a question is asked on a terminal only.
  await using terminal = startInTerminal({ directory: app.directory }, () => ["sh", "-c", `${command} 2>/dev/tty`]);
  await terminal.shows("Remove cli:direct with all its messages? [y/N]");
  terminal.press(key);
  const screen = await terminal.shows(`exit code ${code}`);
  expect(screen).toContain(said);
  expect(screen).not.toContain("unforeseen");
  expect((await app.run(["sessions", "show", "cli:direct"])).code).toBe(0);
});
