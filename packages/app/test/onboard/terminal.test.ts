// The real binary's first start, in a real terminal: one Enter from nothing to a usable chat.
import { execFileSync } from "node:child_process";
import { mkdirSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { startMockModel } from "@margay/core/testing";
import { describe, expect, onTestFinished, test } from "vitest";
import { HAS_TMUX, startInTerminal, type ChatOptions, type TerminalChat } from "../tui/support.ts";

const BIN = join(dirname(fileURLToPath(import.meta.url)), "../../bin/margay.js");

/** Without any variable that a provider's tools would read. */
function margay(args: readonly string[], options: ChatOptions = {}, locale = "C.UTF-8"): TerminalChat {
  return startInTerminal(options, (directory) => [
    "env",
    "-i",
    `PATH=${process.env["PATH"] ?? ""}`,
    "TERM=screen-256color",
    `LANG=${locale}`,
    `HOME=${directory}`,
    `MARGAY_HOME=${directory}/home`,
    process.execPath,
    BIN,
    ...args,
  ]);
}

describe.skipIf(!HAS_TMUX)("first start", () => {
  test("DF52 an address is asked for its models, its key where it wants one, and the model is tested before it is written", async () => {
    const model = await startMockModel({ rules: "off" });
    onTestFinished(() => model.close());
    await using chat = margay([]);
    await chat.shows("Practice mode");
    await choose(chat, "Type an address");
    await chat.shows("Address of the server");
    chat.type(new URL(model.url).host); // as people type it
    chat.press("Enter");
    await chat.shows("It works: custom/mock-model answered");
    await chat.shows("mock-model · context");
    const config = JSON.parse(readFileSync(join(chat.directory, "home/config.json"), "utf8")) as object;
    expect(config).toMatchObject({
      model: "custom/mock-model",
      providers: { custom: { api: "openai-chat", baseUrl: model.url } },
    });
    chat.type("hello");
    chat.press("Enter");
    await chat.shows(/ok/);
  });

  test("a home of another assistant is offered first; the model that came with it answers, and nothing else is asked", async () => {
    const model = await startMockModel({ rules: "off" });
    onTestFinished(() => model.close());
    const directory = mkdtempSync(join(tmpdir(), "margay-onboard-"));
    onTestFinished(() => rmSync(directory, { recursive: true, force: true }));
    mkdirSync(join(directory, ".nanobot/workspace/memory"), { recursive: true });
    writeFileSync(join(directory, ".nanobot/workspace/memory/MEMORY.md"), "The kettle is blue\n");
    const there = {
      agents: { defaults: { model: "openai/mock-model" } },
      providers: { openai: { apiKey: "sk-of-nanobot", apiBase: `${model.url}/v1` } },
    };
    writeFileSync(join(directory, ".nanobot/config.json"), JSON.stringify(there));
    await using chat = margay([], { directory });
    await chat.shows("Another assistant was here before.");
    await chat.shows("Take over nanobot");
    chat.press("Enter");
    await chat.shows("Taken over:");
    await chat.shows("mock-model · context");
    expect(chat.everything()).toContain("It works: openai/mock-model answered");
    expect(readFileSync(join(directory, "home/workspace/memory/MEMORY.md"), "utf8")).toContain("The kettle is blue");
    expect(readFileSync(join(directory, "home/config.json"), "utf8")).not.toContain("sk-of-nanobot");
  });

  test("R309 CF3 Enter goes on in practice mode, the chat works, and a second start asks nothing", async () => {
    await using chat = margay([]);
    await chat.shows(/How shall margay answer\?|Which model shall answer\?/);
    await chat.shows("Practice mode");
    await choosePractice(chat, "Practice mode");
    await chat.shows("practice mode · context");
    chat.type("list files");
    chat.press("Enter");
    await chat.shows("list_dir");
    const config = join(chat.directory, "home/config.json");
    expect(Object.keys(JSON.parse(readFileSync(config, "utf8")) as object)).toEqual(["language", "budgets"]);
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

  test("on a Chinese machine the first question and the chat are in Chinese", async () => {
    await using chat = margay([], {}, "zh_CN.UTF-8");
    await chat.shows("练习模式");
    await choosePractice(chat, "练习模式");
    await chat.shows("练习模式 · 上下文");
    chat.type("帮助");
    chat.press("Enter");
    await chat.shows("派一个助手去列出文件");
  });
});

test("--yes asks nothing, needs no terminal, and a second run writes nothing", () => {
  const directory = mkdtempSync(join(tmpdir(), "margay-onboard-"));
  try {
    const run = (): unknown =>
      JSON.parse(
        execFileSync(process.execPath, [BIN, "onboard", "--yes", "--json"], {
          encoding: "utf8",
          env: {
            PATH: process.env["PATH"],
            HOME: directory,
            MARGAY_HOME: join(directory, "home"),
            ANTHROPIC_API_KEY: "sk-not-a-key",
          },
        }),
      );
    const config = join(directory, "home/config.json");
    expect(run()).toMatchObject({
      config,
      language: "en",
      practice: false,
      model: expect.stringMatching(/^anthropic\//),
      written: ["language", "model", "budgets"],
    });
    expect(readFileSync(config, "utf8")).not.toContain("sk-not-a-key");
    expect(run()).toMatchObject({ written: [] });
  } finally {
    rmSync(directory, { recursive: true, force: true });
  }
});

/** A developer's machine may run a model server: practice mode is chosen by name then. */
function choosePractice(chat: TerminalChat, name: string): Promise<void> {
  return choose(chat, name);
}

async function choose(chat: TerminalChat, name: string): Promise<void> {
  for (let screen = chat.screen(); !screen.includes(`● ${name}`); screen = await chat.changes(screen))
    chat.press("Down");
  chat.press("Enter");
}
