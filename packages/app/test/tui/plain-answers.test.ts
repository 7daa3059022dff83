// `--plain`: what the chat that draws does with keys is done with a line here. No escape sequence, nothing drawn twice.
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { stalls } from "@margay/core/internal/testing";
import { fails, says } from "@margay/core/testing";
import { describe, expect, test } from "vitest";
import { program, type Program } from "./program.ts";
import { HAS_TMUX, startInTerminal, type TerminalChat } from "./support.ts";

function enter(chat: TerminalChat, text: string): void {
  chat.type(text);
  chat.press("Enter");
}

function recorded({ command, places }: Program): { readonly chat: TerminalChat; readonly bytes: () => string } {
  const directory = join(places.home, "..");
  const file = join(directory, "bytes");
  const line = [...command, "--plain"].map((word) => `'${word}'`).join(" ");
  const chat = startInTerminal({ directory }, () => ["script", "-qefc", line, file]);
  const bytes = (): string => readFileSync(file, "utf8").replace(/^Script started[^\n]*\n/, "");
  return { chat, bytes };
}

describe.skipIf(!HAS_TMUX)("plain lines", () => {
  test("under an error a letter and Enter try again, or take a new key that never stands on the screen", async () => {
    const place = await program();
    const { model } = place;
    model.replies(
      fails(400, { error: { message: "closed today", type: "invalid_request_error" } }),
      says("open again"),
      fails(401, { error: { message: "this key is not known", type: "authentication_error" } }),
    );
    const { chat, bytes } = recorded(place);
    await using _chat = chat;
    await chat.shows("Ready.");
    enter(chat, "are you there?");
    await chat.shows("What helps: t (try again). Type one letter and Enter.");
    enter(chat, "t");
    await chat.shows("open again");
    expect(model.requests).toHaveLength(2);
    enter(chat, "t"); // nothing failed: a message
    await chat.shows("k (set a new key)");
    expect(model.requests).toHaveLength(3);
    model.replies(says("with the new key"), says("with the new key"), says("with the new key"));
    enter(chat, "k");
    await chat.shows("New key of mock, not shown.");
    enter(chat, "sk-planted-key-1234");
    await chat.shows("with the new key");
    expect(bytes()).not.toContain("sk-planted");
    enter(chat, "/quit");
    await chat.shows("exit code 0");
    // eslint-disable-next-line no-control-regex -- the point of it
    expect(
      bytes()
        .replaceAll("\r\n", "\n")
        .replace(/\nScript done[^]*$/, "\n"),
    ).not.toMatch(/[\u0000-\u0008\u000b-\u001f\u007f-\u009f]/);
  });

  test("/queue lists what waits, changes it, says when it is to be seen, and takes it out", async () => {
    const place = await program();
    const { model, places } = place;
    writeFileSync(places.config, JSON.stringify(JSON.parse(readFileSync(places.config, "utf8"))));
    const held = stalls({ rest: says("the first answer") });
    model.replies(held, says("the second answer"), says("the third answer"));
    const { chat, bytes } = recorded(place);
    await using _chat = chat;
    await chat.shows("Ready.");
    enter(chat, "/queue");
    await chat.shows("Nothing waits.");
    enter(chat, "a first question");
    await expect.poll(() => model.requests.length).toBe(1);
    enter(chat, "the wrong words");
    enter(chat, "not wanted");
    enter(chat, "/queue");
    await chat.shows(/^1\. the wrong words \(.+\)$/m);
    await chat.shows(/^2\. not wanted \(.+\)$/m);
    enter(chat, "/queue edit 1 the right words");
    await chat.shows("Done.");
    enter(chat, "/queue when 1");
    enter(chat, "/queue drop 2");
    enter(chat, "/queue");
    await chat.shows(/^1\. the right words \(after this turn\)$/m);
    held.release();
    await chat.shows("the second answer");
    const sent = JSON.stringify(model.requests.at(-1)?.body);
    expect(sent).toContain("the right words");
    expect(sent).not.toContain("the wrong words");
    expect(sent).not.toContain("not wanted");
    enter(chat, "/queue edit 1 too late");
    await chat.shows("That message is with the model already.");
    enter(chat, "/quit");
    await chat.shows("exit code 0");
    // eslint-disable-next-line no-control-regex -- the point of it
    expect(
      bytes()
        .replaceAll("\r\n", "\n")
        .replace(/\nScript done[^]*$/, "\n"),
    ).not.toMatch(/[\u0000-\u0008\u000b-\u001f\u007f-\u009f]/);
  });
});
