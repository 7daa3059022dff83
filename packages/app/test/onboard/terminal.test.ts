// The real binary's first start, in a real terminal: one Enter from nothing to a usable chat.
import { readFileSync, statSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { describe, expect, test } from "vitest";
import { HAS_TMUX, startInTerminal, type ChatOptions, type TerminalChat } from "../tui/support.ts";

const MAIN = join(dirname(fileURLToPath(import.meta.url)), "../../src/main.ts");

/** Without any variable that a provider's tools would read. */
function margay(args: readonly string[], options: ChatOptions = {}): TerminalChat {
  return startInTerminal(options, (directory) => [
    "env",
    "-i",
    `PATH=${process.env["PATH"] ?? ""}`,
    "TERM=screen-256color",
    "LANG=C.UTF-8",
    `HOME=${directory}`,
    `MARGAY_HOME=${directory}/home`,
    process.execPath,
    "--conditions=source",
    MAIN,
    ...args,
  ]);
}

describe.skipIf(!HAS_TMUX)("first start", () => {
  test("R309 CF3 Enter goes on in practice mode, the chat works, and a second start asks nothing", async () => {
    await using chat = margay([]);
    await chat.shows(/How shall margay answer\?|Which model shall answer\?/);
    await chat.shows("Practice mode");
    // A developer's machine may run a model server: practice mode is chosen by name then.
    while (!/● Practice mode/.test(chat.screen())) {
      const before = chat.screen();
      chat.press("Down");
      await chat.shows(new RegExp(`^(?!${before.replaceAll(/[.*+?^${}()|[\]\\]/g, "\\$&")}$)`, "s"));
    }
    chat.press("Enter");
    await chat.shows("practice mode · context");
    chat.type("list files");
    chat.press("Enter");
    await chat.shows("list_dir");
    const config = join(chat.directory, "home/config.json");
    expect(JSON.parse(readFileSync(config, "utf8"))).toEqual({ language: "en" });
    expect(statSync(config).mode & 0o777).toBe(0o600);
    chat.type("/quit");
    chat.press("Enter");
    await chat.shows("exit code 0");
    await using again = margay([], { directory: chat.directory });
    await again.shows("practice mode · context");
    expect(again.everything()).not.toContain("Welcome to margay");
  });

  test("Ctrl+C in the question writes nothing", async () => {
    await using chat = margay(["onboard"]);
    await chat.shows("English");
    chat.press("C-c");
    await chat.shows("Nothing was written.");
    await chat.shows("exit code 130");
  });

  test("onboard in Chinese asks in Chinese and says what comes next", async () => {
    await using chat = margay(["onboard"], { columns: 60 });
    await chat.shows("English");
    chat.press("Down", "Enter");
    await chat.shows("练习模式");
    chat.press("C-c");
    await chat.shows("exit code 130");
  });
});
