// Files that became a stranger's in a turn, in the chat of the terminal.
import { savesLetter } from "../gateway/strangers-files.ts";
import { says } from "@margay/core/testing";
import { expect, test } from "vitest";
import { program } from "./program.ts";
import { HAS_TMUX } from "./support.ts";

test.skipIf(!HAS_TMUX)(
  "SC15 SC16 a turn that left a stranger's text in files says so once, and /trust files makes them one's own",
  async () => {
    const { model, workspace, start } = await program();
    savesLetter({ model, workspace }, "a.md", "b.md", "c.md");
    await using chat = start();
    const type = (text: string): void => {
      chat.type(text);
      chat.press("Enter");
    };
    await chat.shows("mock/first");
    type("save it");
    await chat.shows("3 files of this turn count as strangers' text (/trust files)");
    model.replies(says("Hello there."));
    type("hello");
    await chat.shows("Hello there.");
    type("/trust files");
    await chat.shows("c.md (written after a stranger's text was read)");
    type("/trust files all");
    await chat.shows("Yours from now on:");
    expect(chat.everything().match(/of this turn/g)).toHaveLength(1);
  },
);
