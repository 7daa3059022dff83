// Each key of the terminal chat, pressed in a real terminal (tmux).
import {
  chmodSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  realpathSync,
  rmSync,
  statSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { delimiter, join } from "node:path";
import { describe, expect, onTestFinished, test } from "vitest";
import { HAS_TMUX, startInTerminal, type TerminalChat } from "./support.ts";

function folder(): string {
  const directory = realpathSync(mkdtempSync(join(tmpdir(), "margay-keys-")));
  onTestFinished(() => rmSync(directory, { recursive: true, force: true, maxRetries: 5 }));
  return directory;
}

/** A program of that name, first on the path. */
function withProgram(directory: string, name: string, script: string): Readonly<Record<string, string>> {
  const path = join(directory, name);
  writeFileSync(path, `#!/bin/sh\n${script}\n`);
  chmodSync(path, 0o755);
  return { PATH: `${directory}${delimiter}${process.env["PATH"] ?? ""}` };
}

function enter(chat: TerminalChat, text: string): void {
  chat.type(text);
  chat.press("Enter");
}

const PNG = Buffer.from(
  "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==",
  "base64",
);

describe.skipIf(!HAS_TMUX)("keys", () => {
  test("Alt-Up edits the newest waiting message where it stands, then the one before it; Tab, Enter, Ctrl-X and Esc act on it", async () => {
    await using chat = startInTerminal();
    await chat.shows("practice mode");
    enter(chat, "search the web for tea");
    await chat.shows("◐ web_search");
    for (const wish of ["first wish", "second wish", "third wish"]) enter(chat, wish);
    await chat.shows("3 waiting");
    await chat.shows(/^ 3 {2}third wish +next step$/m);
    chat.press("M-Up");
    await chat.shows("3 waiting · editing 3");
    chat.press("C-x");
    await chat.shows("2 waiting ─");
    // The one before: its words are changed, and it waits for the turn after.
    chat.press("M-Up", "M-Up");
    await chat.shows("2 waiting · editing 1");
    chat.type(", better");
    await chat.shows(/^ 1 {2}first wish, better +next step$/m);
    chat.press("Tab");
    await chat.shows(/^ 1 {2}first wish, better +after this turn$/m);
    chat.press("Enter");
    await chat.loses("editing");
    await chat.shows(/^ 1 {2}first wish, better +after this turn$/m);
    // As it was.
    chat.press("M-Up");
    await chat.shows("editing 2");
    chat.type(" and nonsense");
    chat.press("Tab");
    await chat.shows(/^ 2 {2}second wish and nonsense +after this turn$/m);
    chat.press("M-Down", "Escape");
    await chat.loses("editing");
    await chat.shows(/^ 2 {2}second wish +next step$/m);
    chat.type("in the line");
    await chat.shows(/^ › in the line$/m);
    chat.press("C-c", "Escape");
    // What waits goes on when the turn was stopped.
    await chat.shows(/› first wish, better[^]*› second wish/);
    expect(chat.screen()).not.toContain("third wish");
  });

  test("Ctrl-R searches what was typed, in this chat and in earlier ones; a line that begins with a blank is not kept", async () => {
    const directory = folder();
    {
      await using chat = startInTerminal({ directory, session: "cli:one" });
      await chat.shows("practice mode");
      enter(chat, "remember the pelican");
      enter(chat, " secret of the pelican");
      enter(chat, "hello");
      await chat.shows("I am margay in practice mode");
    }
    const file = join(directory, "history.jsonl");
    expect(readFileSync(file, "utf8")).toBe('"remember the pelican"\n"hello"\n');
    expect(statSync(file).mode & 0o777).toBe(0o600);
    await using chat = startInTerminal({ directory, session: "cli:two" });
    await chat.shows("practice mode");
    chat.press("C-r");
    await chat.shows("Search what you typed");
    chat.type("peli");
    await chat.shows("→ remember the pelican");
    await chat.loses("hello");
    chat.press("Enter");
    await chat.shows(/^ › remember the pelican$/m);
    chat.press("C-c", "Up");
    await chat.shows(/^ › hello$/m);
    chat.press("C-r");
    await chat.shows("Search what you typed");
    chat.press("Escape");
    await chat.loses("Search what you typed");
  });

  test("Ctrl-G opens the editor over the line, and what is saved comes back; one that fails changes nothing", async () => {
    const directory = folder();
    const env = withProgram(directory, "pen", 'if grep -q stay "$1"; then exit 1; fi; sed -i s/draft/letter/ "$1"');
    await using chat = startInTerminal({ environment: { ...env, VISUAL: "pen" } });
    await chat.shows("practice mode");
    chat.type("a draft of mine");
    chat.press("C-g");
    await chat.shows("a letter of mine");
    chat.press("C-c");
    chat.type("stay as it is");
    chat.press("C-g");
    await chat.shows("The editor did not end well");
    await chat.shows(/^ › stay as it is$/m);
  });

  test("! runs a command of the person in the workspace; the model and the journal hear nothing of it, Esc ends it", async () => {
    await using chat = startInTerminal({ model: "scripted", files: { "notes.txt": "x" } });
    chat.put("script", "Nothing to say.");
    await chat.shows("scripted/large");
    enter(chat, "!ls; exit 3");
    await chat.shows("exit code 3");
    expect(chat.screen()).toContain("notes.txt");
    enter(chat, "!echo begun; sleep 600");
    await chat.shows("› ! echo begun; sleep 600");
    chat.press("Escape");
    await chat.shows(/^ {3}ended/m);
    enter(chat, "hi");
    await chat.shows("Nothing to say.");
    // What was said is there, and with it all that the model was sent.
    const sessions = join(chat.directory, "state", "sessions");
    const journal = readdirSync(sessions, { recursive: true, encoding: "utf8" })
      .filter((name) => name.endsWith(".journal"))
      .map((name) => readFileSync(join(sessions, name), "utf8"))
      .join("");
    expect(journal).toContain("Nothing to say.");
    expect(journal).not.toMatch(/exit 3|echo begun|notes\.txt/);
    enter(chat, "/export talk.md");
    await chat.shows("Written to");
    const written = readFileSync(join(chat.directory, "workspace", "talk.md"), "utf8");
    expect(written).toContain("> hi");
    enter(chat, "/export talk.md");
    await chat.shows("is there already");
  });

  test("y, c, a and n answer a question at once, r asks why not; what was typed ahead answers nothing", async () => {
    await using chat = startInTerminal({ rows: 40 });
    await chat.shows("practice mode");
    enter(chat, "run echo one");
    await chat.shows("[y] once [c] this chat [n] no [r] no, because…");
    chat.type("yet another thing");
    await chat.shows(/^ › yet another thing/m);
    // Long after the question came, a key in a line that holds something is text.
    await expect
      .poll(
        () => {
          chat.type("n");
          return chat.screen();
        },
        { timeout: 10_000, interval: 200 },
      )
      .toContain("nnnnn");
    expect(chat.screen()).toContain("May I run this command?");
    chat.press("C-c");
    await chat.loses("yet another thing");
    // The terminal showed it, and was read, and changed since: half a second is over when the key acts.
    await expect
      .poll(
        () => {
          chat.press("BSpace", "y");
          return chat.screen();
        },
        { timeout: 10_000, interval: 200 },
      )
      .toContain("ran echo one");
    chat.press("C-c");
    enter(chat, "run echo two");
    await chat.shows(/^ {3}echo two$/m);
    await expect
      .poll(
        () => {
          chat.press("BSpace", "r");
          return chat.screen();
        },
        { timeout: 10_000, interval: 200 },
      )
      .toContain("Say why not");
    enter(chat, "not today");
    await chat.shows("I did not run echo two");
  });

  test("a question rings the bell", async () => {
    await using chat = startInTerminal();
    await chat.shows("practice mode");
    expect(chat.rang()).toBe(false);
    enter(chat, "run echo one");
    await chat.shows("May I run this command?");
    await expect.poll(() => chat.rang()).toBe(true);
  });

  test("Ctrl-V attaches the picture of the clipboard, a pasted path the file; their names stand in the message", async () => {
    const directory = folder();
    writeFileSync(join(directory, "cat.png"), PNG);
    const env = withProgram(directory, "wl-paste", `cat '${join(directory, "cat.png")}'`);
    await using chat = startInTerminal({ environment: env });
    await chat.shows("practice mode");
    chat.type("look at ");
    chat.press("C-v");
    await chat.shows("look at [picture 1]");
    chat.paste(join(directory, "cat.png"));
    await chat.shows("look at [picture 1] [picture 2]");
    chat.press("Enter");
    await chat.shows("[cat.png] look at [picture 1] [picture 2] I did not understand");
    await chat.shows("clipboard.png");
    chat.paste("no/such.png");
    await chat.shows(/^ › no\/such\.png/m);
  });

  test("keybindings.json chooses other keys; a wrong one is named, and the usual keys hold", async () => {
    const directory = folder();
    const file = join(directory, "keybindings.json");
    writeFileSync(file, JSON.stringify({ "chat.history": "f5", "tui.editor.deleteToLineStart": ["f6"] }));
    {
      await using chat = startInTerminal({ directory });
      await chat.shows("practice mode");
      chat.press("F5");
      await chat.shows("Search what you typed");
      chat.press("Escape");
      await chat.loses("Search what you typed");
      chat.type("half a line");
      await chat.shows("half a line");
      chat.press("F6");
      await chat.loses("half a line");
    }
    writeFileSync(file, JSON.stringify({ "chat.histroy": "f5" }));
    await using chat = startInTerminal({ directory });
    await chat.shows("there is no chat.histroy; chat.history is near");
    chat.press("C-r");
    await chat.shows("Search what you typed");
    chat.press("C-c");
    await chat.loses("Search what you typed");
    chat.type("?");
    await chat.shows("Ctrl-G opens your editor");
  });
});
