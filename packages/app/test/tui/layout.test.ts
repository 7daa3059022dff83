// The layout of the terminal chat, in a real terminal: title line, steps, question, what waits, and keys under an error that act.
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { callsTool, fails, says } from "@margay/core/testing";
import { describe, expect, test } from "vitest";
import { startGateway } from "../durability/running.ts";
import { program, type Program } from "./program.ts";
import { HAS_TMUX, startInTerminal, type TerminalChat } from "./support.ts";

function enter(chat: TerminalChat, text: string): void {
  chat.type(text);
  chat.press("Enter");
}

async function place(config: (address: string) => object): Promise<Program> {
  const made = await program();
  const { places, model } = made;
  const before = JSON.parse(readFileSync(places.config, "utf8")) as object; // as program.ts wrote it
  writeFileSync(places.config, JSON.stringify({ ...before, ...config(`${model.url}/v1`) }));
  return made;
}

function at(size: { readonly columns: number; readonly rows: number }, { command, places }: Program, lang: string) {
  return startInTerminal({ directory: join(places.home, ".."), ...size }, () => [...command, "--lang", lang]);
}

describe.skipIf(!HAS_TMUX)("layout", () => {
  test("in 80 columns: a title, two examples, steps in one line, an edit with its lines, a question with its facts", async () => {
    const made = await place(() => ({
      budgets: [{ scope: "day", usd: 3 }],
      tools: { exec: { sandbox: "none" } },
    }));
    const { model, workspace } = made;
    writeFileSync(join(workspace, "garden.csv"), "month,cost\nMay,300\n");
    writeFileSync(join(workspace, "clean.ts"), "a\n  await rm(out);\nb\n");
    model.replies(
      callsTool("read_file", { path: "garden.csv" }),
      callsTool("write_file", { path: "costs.html", content: "<p>\nMay\n</p>\n" }),
      says("The page is ready."),
      callsTool("edit_file", {
        path: "clean.ts",
        old_text: "  await rm(out);",
        new_text: "  await rm(all);\n  say();",
      }),
      callsTool("exec", { command: "rm -rf ./build ./notes" }),
      says("Then I leave them."),
    );
    await using chat = at({ columns: 80, rows: 40 }, made, "en");
    const empty = await chat.shows("mock/first · context 0 %");
    expect(empty).toMatch(/^ New conversation {30,}~\/workspace$/m);
    expect(empty).toContain("   “What is in this folder, and what is it for?”");
    enter(chat, "Make a page of the costs.");
    await chat.shows("The page is ready.");
    await chat.shows("today $0 of $3");
    const folded = await chat.shows(/^ Make a page of the costs\. +~\/workspace$/m);
    expect(folded).toMatch(/^ ✓ 2 steps {2}read garden\.csv · wrote costs\.html +0\.\d s {2}Ctrl-O opens$/m);
    expect(folded).toMatch(/^ › Make a page of the costs\.$/m);
    expect(folded).toMatch(/^ {3}The page is ready\.$/m);
    expect(folded).not.toContain("“What is in this folder");
    chat.press("C-o");
    const opened = await chat.shows(/^ ✓ write_file {2}costs\.html +\+3 {2}0\.\d s$/m);
    expect(opened).toMatch(/^ ✓ read_file {2}garden\.csv +0\.\d s$/m);
    chat.press("C-o");
    await chat.shows("✓ 2 steps");
    enter(chat, "Fix the script, then clean up.");
    const asked = await chat.shows("[y] once");
    expect(asked).toMatch(
      /^ ✓ edit_file {2}clean\.ts +\+2 −1 {2}0\.\d s\n │ {2}- {4}await rm\(out\);\n │ {2}\+ {4}await rm/m,
    );
    expect(asked).toMatch(
      /^─ May I run this command\? ─+\n\n {3}rm -rf \.\/build \.\/notes\n\n {3}why {6}Commands of/m,
    );
    expect(asked).toMatch(/^ {3}touches {2}It deletes whole folders/m);
    expect(asked).toContain(`where    ${workspace}`.slice(0, 40));
    expect(asked).toMatch(
      /^ {3}\[y\] once {3}\[n\] no {3}\[r\] no, because…\n─+\n mock\/first .* waits for you 4:\d\d$/m,
    );
    enter(chat, "n");
    await chat.shows("Then I leave them.");
    expect(chat.screen()).toMatch(/^ ✗ exec {2}rm -rf \.\/build \.\/notes +not done$/m);
  });

  test("below 60 columns the right column stands under its line; 120 columns have a line of keys; both in Chinese too", async () => {
    const made = await place(() => ({}));
    const { model } = made;
    model.replies(callsTool("list_dir", { path: "." }), callsTool("list_dir", { path: "." }), says("好的。"));
    {
      await using chat = at({ columns: 50, rows: 20 }, made, "zh-CN");
      await chat.shows("mock/first · 上下文 0 %");
      expect(chat.screen()).toMatch(/^ 新对话\n {3}~\/workspace$/m);
      enter(chat, "列出文件");
      await chat.shows(/^ {3}好的。$/m);
      expect(chat.screen()).toMatch(/^ ✓ 2 步 {2}列出 \.、\.\n {3}0\.\d 秒 {2}Ctrl-O 展开$/m);
      chat.resize(120, 40);
      await chat.shows(/^ 回车发送 · Shift-回车换行 · .* · \? 按键$/m);
      expect(chat.screen()).toMatch(/^ ✓ 2 步 {2}列出 \.、\. +0\.\d 秒 {2}Ctrl-O 展开$/m);
    }
  });
});

describe.skipIf(!HAS_TMUX).each(["alone", "beside a gateway"])("under an error, %s", (how) => {
  async function failed(config: (address: string) => object): Promise<Program> {
    const made = await place(config);
    const { home } = made.places;
    if (how !== "alone") await startGateway({ home, directory: join(home, "..") });
    made.model.replies(fails(401));
    return made;
  }

  test("k takes a new key, tries and saves it, and asks again; what is typed of it is seen nowhere", async () => {
    const { model, start, places } = await failed(() => ({}));
    await using chat = start();
    await chat.shows("mock/first");
    enter(chat, "hello");
    await chat.shows(/^ ✗ The model provider refused the key/m);
    await chat.shows("[k] set a new key  [t] try again");
    enter(chat, "k");
    await chat.shows("New key of mock");
    model.replies(says("here I am"));
    chat.type("a-new-key-0123456789");
    await chat.shows("› ••••••••••••••••••••");
    chat.press("Enter");
    await chat.shows(/^ {3}here I am$/m);
    expect(model.requests.at(-1)?.headers["authorization"]).toBe("Bearer a-new-key-0123456789");
    expect(chat.everything()).not.toContain("a-new-key");
    expect(readFileSync(join(places.home, "history.jsonl"), "utf8")).toBe('"hello"\n');
    // An old one offers nothing.
    expect(chat.screen()).not.toContain("[k]");
  });

  test("f goes on with another model that has its key, t asks again; a word that begins with one of them is a word", async () => {
    const spare = (url: string) => ({
      models: { "spare/other": { contextWindow: 100_000 } },
      providers: {
        mock: { api: "openai-chat", baseUrl: url, apiKey: "test-key-for-mock" },
        spare: { api: "openai-chat", baseUrl: url, apiKey: "spare-key-0123456789" },
      },
    });
    const { model, start } = await failed(spare);
    model.replies(fails(401), says("it works again"), fails(401), says("the other one"));
    await using chat = start();
    await chat.shows("mock/first");
    enter(chat, "hello");
    await chat.shows("[k] set a new key  [f] use spare/other  [t] try again");
    enter(chat, "t");
    await chat.shows("› Try again.");
    await expect.poll(() => model.requests.length).toBe(2);
    await chat.shows("[t] try again");
    chat.type("tell me");
    await chat.shows(/^ › tell me$/m);
    chat.press("Enter");
    await chat.shows("it works again");
    enter(chat, "hello once more");
    await chat.shows("[f] use spare/other");
    enter(chat, "f");
    await chat.shows("/model spare/other");
    await chat.shows(/^ {3}the other one$/m);
    expect(model.requests.at(-1)?.body["model"]).toBe("other");
  });
});

test.skipIf(!HAS_TMUX)(
  "a question in another conversation is told of, and /waits opens it; a branch says which one it is",
  async () => {
    const { model, start, places } = await place(() => ({ tools: { exec: { sandbox: "none" } } }));
    await startGateway({ home: places.home, directory: join(places.home, "..") });
    model.replies(callsTool("exec", { command: "rm -rf ./build" }), says("Here I am."), says("All right."));
    await using asking = start("agent", "--session", "cli:one");
    await asking.shows("mock/first");
    enter(asking, "clean up");
    await asking.shows("[y] once");
    await using chat = start();
    await chat.shows("mock/first");
    enter(chat, "hello");
    await chat.shows(/Here I am\.[^]*1 waits elsewhere: \/waits$/m);
    enter(chat, "/fork other");
    await chat.shows(/^ hello +~\/workspace · branch 2 of 2 · \/tree shows them$/m);
    enter(chat, "/waits");
    await chat.shows("Waits for you (Enter opens");
    chat.press("Enter");
    await chat.shows(/^ {3}rm -rf \.\/build$/m);
    enter(chat, "n");
    // Both terminals show the one conversation.
    await chat.shows("All right.");
    await asking.shows("All right.");
    enter(chat, "/waits");
    await chat.shows("Nothing waits in another conversation.");
  },
);
