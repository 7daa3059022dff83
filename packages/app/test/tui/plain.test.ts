// `--plain`, and how a chat begins: the built program in a real terminal, alone and beside a gateway.
import { existsSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { stalls } from "@margay/core/internal/testing";
import { callsTool, fails, says } from "@margay/core/testing";
import { describe, expect, test } from "vitest";
import { startGateway } from "../durability/running.ts";
import { program, type Program } from "./program.ts";
import { HAS_TMUX, startInTerminal, type TerminalChat } from "./support.ts";

function enter(chat: TerminalChat, text: string): void {
  chat.type(text);
  chat.press("Enter");
}

/** The program, and every byte that it wrote. */
function recorded({ command, places }: Program, environment: Readonly<Record<string, string>>, ...args: string[]) {
  const directory = join(places.home, "..");
  const line = [...command, ...args].map((word) => `'${word}'`).join(" ");
  const file = join(directory, "bytes");
  const env = Object.entries(environment).map(([name, value]) => `${name}=${value}`);
  const chat = startInTerminal({ directory }, () => ["env", ...env, "script", "-qefc", line, file]);
  return {
    chat,
    bytes: () =>
      readFileSync(file, "utf8")
        .replace(/^Script started[^\n]*\n/, "")
        .replace(/\nScript done[^]*$/, "\n"),
  };
}

describe.skipIf(!HAS_TMUX)("plain lines", () => {
  test.each([
    ["--plain", {}, ["--plain"]],
    ["TERM=dumb", { TERM: "dumb" }, []],
  ] as const)(
    "%s: a rich conversation without one escape sequence, and nothing is drawn twice",
    async (_name, env, args) => {
      const place = await program();
      const { model, workspace, places } = place;
      const config = JSON.parse(readFileSync(places.config, "utf8")) as object; // as program.ts wrote it
      writeFileSync(places.config, JSON.stringify({ ...config, tools: { exec: { sandbox: "none" } } }));
      const held = stalls({ rest: says("never said") });
      model.replies(
        callsTool("exec", { command: "echo one > made.txt; cat made.txt" }),
        says("# Made\n\n**One** is in `made.txt`.\n\n- first\n- second"),
        callsTool("exec", { command: "rm -rf /nothing" }),
        says("Then I leave it."),
        fails(400, { error: { message: "the model is closed today", type: "invalid_request_error" } }),
        held,
      );
      const { chat, bytes } = recorded(place, env, ...args);
      await using _chat = chat;
      await chat.shows("Ready.");
      enter(chat, "make a file");
      await chat.shows("Answer with a line: y");
      enter(chat, "y");
      await chat.shows("- second");
      enter(chat, "and take it away");
      await chat.shows("rm -rf /nothing");
      enter(chat, "r not this one");
      await chat.shows("Then I leave it.");
      enter(chat, "once more");
      await chat.shows("The model provider rejected the request");
      enter(chat, "wait for it");
      await expect.poll(() => model.requests.length).toBe(6);
      chat.press("C-c");
      await chat.shows("Stopped.");
      enter(chat, "!echo mine");
      await chat.shows("exit code 0");
      enter(chat, "/undo");
      await chat.shows("/undo needs the chat that draws");
      enter(chat, "/quit");
      await chat.shows("exit code 0");
      const all = bytes();
      // eslint-disable-next-line no-control-regex -- the point of it
      expect(all.replaceAll("\r\n", "\n")).not.toMatch(/[\u0000-\u0008\u000b-\u001f\u007f-\u009f]/);
      for (const once of ["**One** is in `made.txt`.", "✓ exec", "Then I leave it."])
        expect(all.split(once), once).toHaveLength(2);
      expect(JSON.stringify(model.requests[3]?.body)).toContain("not this one");
      expect(readdirSync(workspace)).toContain("made.txt");
    },
  );
});

describe.skipIf(!HAS_TMUX).each(["alone", "beside a gateway"])("a chat %s", (how) => {
  async function place(): Promise<Program> {
    const made = await program();
    if (how !== "alone") {
      const { home } = made.places;
      await startGateway({ home, directory: join(home, "..") });
    }
    return made;
  }

  test("R421 plain lines: a question is answered by a line, -r chooses by number and says what was said last", async () => {
    const { model, start, places } = await place();
    writeFileSync(
      places.config,
      JSON.stringify({ ...JSON.parse(readFileSync(places.config, "utf8")), tools: { exec: { sandbox: "none" } } }),
    );
    model.replies(
      says("the first answer"),
      callsTool("exec", { command: "rm -rf /nothing" }),
      says("the second answer"),
      says("the third answer"),
    );
    const sessions = join(places.home, "sessions");
    const journals = (): readonly string[] => readdirSync(sessions).filter((name) => name.endsWith(".journal"));
    {
      await using chat = start("--plain");
      await chat.shows("Ready.");
      enter(chat, "a first question");
      await chat.shows("the first answer");
      enter(chat, "take it away");
      await chat.shows("Answer with a line: y");
      enter(chat, "n");
      await chat.shows("the second answer");
      enter(chat, "/quit");
      await chat.shows("exit code 0");
    }
    {
      await using chat = start("--plain");
      await chat.shows("Ready.");
      enter(chat, "/quit");
      await chat.shows("exit code 0");
    }
    // One in which nothing was said leaves no trace.
    expect(journals()).toHaveLength(1);
    await using chat = start("--plain", "-r");
    await chat.shows("Type the number of one and Enter");
    expect(await chat.shows(/^1\. \d{4}-\d\d-\d\d \d\d:\d\d a first question$/m)).not.toContain("2. ");
    enter(chat, "7");
    await chat.shows("There is no such number. Type one from 1 to 1");
    enter(chat, "1");
    await chat.shows("Last said here: › take it away the second answer Ready.");
    enter(chat, "a third question");
    await chat.shows("the third answer");
    expect(JSON.stringify(model.requests[3]?.body)).toContain("a first question");
    expect(journals()).toHaveLength(1);
  });

  test("R168 begins anew; -c goes on with the last one, -r chooses; /fork, /tree, /undo and /resume work", async () => {
    const { model, workspace, start } = await place();
    model.replies(
      says("the first answer"),
      says("the second answer"),
      callsTool("write_file", { path: "made.txt", content: "one" }),
      says("written"),
    );
    {
      await using chat = start();
      await chat.shows("mock/first");
      enter(chat, "a first question");
      await chat.shows("the first answer");
    }
    {
      await using chat = start();
      await chat.shows("mock/first");
      expect(chat.screen()).not.toContain("the first answer");
      enter(chat, "a second question");
      await chat.shows("the second answer");
    }
    {
      await using chat = start("-r");
      await chat.shows("Choose a session");
      await chat.shows("a first question");
      chat.press("Escape");
    }
    await using chat = start("-c");
    await chat.shows("the second answer");
    enter(chat, "/tree");
    await chat.shows("This conversation has no branches");
    enter(chat, "/fork other");
    await chat.shows("goes on here as cli:other");
    enter(chat, "/tree");
    await chat.shows("Branches (Enter opens");
    await chat.shows("← here");
    chat.press("Escape");
    await chat.loses("Branches (Enter opens");
    enter(chat, "write it");
    await chat.shows("written");
    expect(readFileSync(join(workspace, "made.txt"), "utf8")).toBe("one");
    enter(chat, "/undo");
    await chat.shows("Take back what the last turn did to: made.txt?");
    chat.press("Down", "Enter");
    await chat.shows("Taken back: 1.");
    expect(existsSync(join(workspace, "made.txt"))).toBe(false);
    enter(chat, "/resume");
    await chat.shows("Choose a session");
    chat.press("Escape");
    await chat.loses("Choose a session");
  });
});
