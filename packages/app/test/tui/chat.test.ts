// The chat as a person meets it: a real terminal (tmux), the real agent, practice mode or a scripted model.
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { chatCommand, HAS_TMUX, startInTerminal } from "./support.ts";

const README = "# Margay\n\nMargay is a small wild cat. It lives in trees.\n";

describe.skipIf(!HAS_TMUX)("terminal chat", () => {
  test("CF3 R42 a compound request shows its tool calls and one answer; practice mode says what it is", async () => {
    await using chat = startInTerminal({ files: { "README.md": README }, rows: 40 });
    await chat.shows("Practice mode: no language model is connected");
    chat.type("list the files here and tell me what README.md is about");
    chat.press("Enter");
    const screen = await chat.shows("Margay – Margay is a small wild cat.");
    expect(screen).toContain("✓ 2 steps  listed . · read README.md");
    expect(screen).toContain("practice mode · context");
  });

  test("CF3 what is typed while the conversation is still read is sent when it was, and nowhere else on the screen", async () => {
    await using chat = startInTerminal({ environment: { SLOW: "1" } });
    await chat.shows("practice mode · context");
    chat.type("read a.txt");
    chat.press("Enter");
    await chat.loses("read a.txt");
    chat.type("and more");
    await chat.shows("and more");
    chat.put("go", "");
    expect(await chat.shows("› read a.txt")).toMatch(/^ New conversation [^]*─\n › and more\n─/);
  });

  test("R78 a call that needs approval is shown exactly; n refuses it, y runs it once", async () => {
    await using chat = startInTerminal();
    await chat.shows("practice mode");
    chat.type("run rm -rf build");
    chat.press("Enter");
    await chat.shows("May I run this command?");
    await chat.shows(/^ {3}rm -rf build$/m);
    chat.type("n");
    chat.press("Enter");
    await chat.shows("I did not run rm -rf build");
    chat.type("run echo yes");
    chat.press("Enter");
    await chat.shows(/^ {3}echo yes$/m);
    chat.type("y");
    chat.press("Enter");
    expect(await chat.shows("Exit code: 0")).toMatch(/^ ✓ exec {2}echo yes +0\.\d s$/m);
  });

  test("a message typed while a call waits for approval is a message, not an answer", async () => {
    await using chat = startInTerminal();
    await chat.shows("practice mode");
    chat.type("run echo hi");
    chat.press("Enter");
    await chat.shows("May I run this command?");
    const since = performance.now();
    await expect.poll(() => performance.now() - since).toBeGreaterThan(600); // from then on `y` alone is a yes
    chat.type("you could also list files");
    chat.press("Enter");
    await chat.shows(/^ 1 {2}you could also list files +next step$/m);
    expect(chat.screen()).toContain("May I run this command?");
  });

  test("LP5 LP7 Esc stops the turn, keeps what was said and what waits", async () => {
    await using chat = startInTerminal({ model: "scripted" });
    chat.put("script", "The first half. HOLD");
    await chat.shows("scripted/large");
    chat.type("go on");
    chat.press("Enter");
    const [, second = ""] = /^ ◐ writing {2}(\d+) s$/m.exec(await chat.shows(/^ ◐ writing {2}\d+ s$/m)) ?? [];
    await chat.loses(`◐ writing  ${second} s`); // it goes on
    await chat.shows("Esc stops");
    chat.type("second message");
    chat.press("Enter");
    await chat.shows(/^ 1 {2}second message +next step$/m);
    chat.put("script", "The second answer.");
    chat.press("Escape");
    const screen = await chat.shows("The second answer.");
    expect(screen).toContain("The first half. HOLD");
    expect(screen).toContain("(stopped here)");
    expect(screen).toContain("› second message");
  });

  test("R70 a running tool shows its live output and is stopped by Esc", async () => {
    await using chat = startInTerminal();
    await chat.shows("practice mode");
    chat.type("search the web for tea");
    chat.press("Enter");
    await chat.shows("looking into a page");
    await chat.shows(/^ ◐ web_search {2}tea +running \d s$/m);
    chat.press("Escape");
    await chat.loses("◐ web_search");
    chat.type("help");
    chat.press("Enter");
    await chat.shows("read notes.txt");
  });

  test("st-030 escape sequences of a model never reach the terminal", async () => {
    await using chat = startInTerminal({ model: "scripted", columns: 60, rows: 40 });
    chat.put(
      "script",
      "plain \u001b[2J\u001b[Hred \u001b]0;pwned\u0007\u009b5m bell\u0007 \u202elive | &#27;[2J\n\n| 名字 | n |\n|---|---|\n| 长尾虎猫 | 2 |\n",
    );
    await chat.shows("scripted/large");
    chat.type("hi");
    chat.press("Enter");
    const screen = await chat.shows("长尾虎猫 │ 2");
    expect(screen).toContain("plain red  bell live |");
    expect(screen).toMatch(/^ ?New conversation .*workspace$/m); // however deep the folder is
  });

  test("R182 R185 R186 commands are completed, answered without the model, and the unknown one names the nearest", async () => {
    await using chat = startInTerminal({ rows: 40 });
    await chat.shows("practice mode");
    chat.type("/sta");
    await chat.shows("model, context use, running work");
    chat.press("Enter");
    await chat.shows("practice/sentences");
    chat.type("/hlep");
    chat.press("Enter");
    await chat.shows(/Did you mean .?\/help/);
    chat.type("/help");
    chat.press("Enter");
    await chat.shows("/new –");
  });

  test("@ completes files of the workspace and up brings the last message back", async () => {
    await using chat = startInTerminal({ files: { "shopping list.txt": "x", "notes.txt": "remember the milk" } });
    await chat.shows("practice mode");
    chat.type("read @not");
    await chat.shows("→ notes.txt");
    chat.press("Tab", "Enter");
    await chat.shows("remember the milk");
    chat.press("Up");
    await chat.shows(/^ › read @notes\.txt$/m);
  });

  test("at 40 columns in Chinese nothing is cut off or breaks the frame", async () => {
    await using chat = startInTerminal({
      columns: 40,
      rows: 30,
      language: "zh-CN",
      files: { "说明.md": "# 长尾虎猫\n\n长尾虎猫是一种小型野猫。它住在树上。\n" },
    });
    await chat.shows("练习模式");
    chat.type("列出文件，然后告诉我 说明.md 讲了什么");
    chat.press("Enter");
    const screen = await chat.shows("它住在树上。（这是摘录");
    expect(screen).toContain("✓ 2 步");
    expect(screen).toContain("练习模式 · 上下文");
    chat.resize(100, 30);
    await chat.shows("开头写道：长尾虎猫 – 长尾虎猫是一种小型野猫。");
  });

  test("LP1 LP2 after a kill the next start shows the conversation and goes on with the turn", async () => {
    const directory = mkdtempSync(join(tmpdir(), "margay-tui-"));
    try {
      {
        await using chat = startInTerminal({ directory, model: "scripted" });
        chat.put("script", "Never finished. HOLD");
        await chat.shows("scripted/large");
        chat.type("tell me");
        chat.press("Enter");
        await chat.shows("Never finished.");
        process.kill(chat.pid(), "SIGKILL");
        await chat.shows("exit code 137");
      }
      await using chat = startInTerminal({ directory, model: "scripted" });
      chat.put("script", "Finished after all.");
      await chat.shows("scripted/large");
      const screen = await chat.shows("Finished after all.");
      expect(screen).toContain("› tell me");
      expect(screen).not.toContain("Never finished.");
    } finally {
      rmSync(directory, { recursive: true, force: true, maxRetries: 5 });
    }
  });

  test("/sessions opens another session of this machine", async () => {
    const directory = mkdtempSync(join(tmpdir(), "margay-tui-"));
    try {
      {
        await using chat = startInTerminal({ directory, session: "cli:work" });
        await chat.shows("practice mode");
        chat.type("sing alpha beta");
        chat.press("Enter");
        await chat.shows("cli:work");
        await chat.shows(/not understand “sing alpha/);
      }
      await using chat = startInTerminal({ directory });
      await chat.shows("cli:direct");
      chat.type("/sessions");
      chat.press("Enter");
      await chat.shows("Choose a session");
      chat.press("Enter");
      await chat.shows("Session cli:work");
      expect(await chat.shows(/not understand “sing alpha/)).toContain("› sing alpha beta");
    } finally {
      rmSync(directory, { recursive: true, force: true, maxRetries: 5 });
    }
  });

  test("Ctrl+C asks once, then leaves; the terminal is given back", async () => {
    await using chat = startInTerminal();
    await chat.shows("practice mode");
    chat.type("half a sentence");
    await chat.shows("half a sentence");
    chat.press("C-c");
    await chat.loses("half a sentence");
    chat.press("C-c");
    await chat.shows("Press Ctrl-C again to quit.");
    chat.press("C-c");
    const screen = await chat.shows("exit code 0");
    expect(screen).toContain("ended in order");
    await chat.shows(/^icanon/m);
  });

  test("/quit leaves; SIGTERM leaves in order with its code; the terminal is given back", async () => {
    await using first = startInTerminal();
    await first.shows("practice mode");
    first.type("/quit");
    first.press("Enter");
    await first.shows("exit code 0");
    await using second = startInTerminal();
    await second.shows("practice mode");
    process.kill(second.pid(), "SIGTERM");
    await second.shows("exit code 143");
    await second.shows(/^icanon/m);
  });

  test("a bug that nobody catches still gives the terminal back, and its message can be read", async () => {
    await using chat = startInTerminal();
    await chat.shows("practice mode");
    chat.type("run crash");
    chat.press("Enter");
    await chat.shows("May I run this command?");
    chat.type("y");
    chat.press("Enter");
    await chat.shows("exit code 1");
    await chat.shows(/^icanon/m);
    await chat.shows("a bug outside every promise");
  });

  test("R183 R185 /stop acts while a tool runs; with nothing to stop it says so", async () => {
    await using chat = startInTerminal();
    await chat.shows("practice mode");
    chat.type("search the web for tea");
    chat.press("Enter");
    await chat.shows("◐ web_search");
    chat.type("/stop");
    chat.press("Enter");
    await chat.loses("◐ web_search");
    await chat.shows("! web_search");
    chat.type("/stop");
    chat.press("Enter");
    await chat.shows(/othing/);
  });

  test("DF25 Ctrl+C ends the turn that runs, pressed again it leaves, and leaving ends what runs too", async () => {
    await using chat = startInTerminal();
    await chat.shows("practice mode");
    chat.type("search the web for tea");
    chat.press("Enter");
    await chat.shows("◐ web_search");
    chat.press("C-c");
    await chat.loses("◐ web_search");
    await chat.shows("! web_search");
    chat.type("search the web for milk");
    chat.press("Enter");
    await chat.shows("◐ web_search");
    chat.press("C-d");
    const screen = await chat.shows("exit code 0");
    expect(screen).not.toContain("goes on the next time");
  });

  test("Ctrl+Z gives the terminal to the shell and fg brings the chat back", async () => {
    await using shell = startInTerminal({ rows: 30 }, () => ["sh", "-c", "exec bash --norc -i 2>/dev/tty"]);
    await shell.shows("bash-");
    shell.type(chatCommand(shell.directory));
    shell.press("Enter");
    await shell.shows("practice mode · context");
    shell.press("C-z");
    await shell.shows("Stopped");
    shell.type("echo $((6 * 7)) from the shell");
    shell.press("Enter");
    await shell.shows("42 from the shell");
    shell.type("fg");
    shell.press("Enter");
    await shell.loses("42 from the shell");
    shell.type("hello");
    shell.press("Enter");
    await shell.shows("I am margay in practice mode");
  });
});
