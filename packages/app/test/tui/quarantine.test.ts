// What a command left behind and was kept aside, in the chat of the terminal.
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { callsTool, says } from "@margay/core/testing";
import { expect, test } from "vitest";
import { program } from "./program.ts";
import { HAS_TMUX } from "./support.ts";

test.skipIf(!HAS_TMUX)(
  "SC33 a turn that kept something aside says so once; /quarantine shows it and takes it back",
  async () => {
    const { model, workspace, start } = await program();
    model.replies(callsTool("exec", { command: "echo 'export A=1' > .envrc" }), says("Made."));
    await using chat = start();
    const type = (text: string): void => {
      chat.type(text);
      chat.press("Enter");
    };
    await chat.shows("mock/first");
    type("make it");
    await chat.shows("1 thing of this turn would run by itself and was kept aside (/quarantine)");
    type("/quarantine");
    await chat.shows(".envrc (.envrc), 11 bytes");
    const id = /([0-9a-f]{8}) \.envrc/.exec(chat.everything())?.[1] ?? "";
    type(`/quarantine ${id}`);
    await chat.shows(`/quarantine restore ${id} puts exactly this back`);
    type(`/quarantine restore ${id}`);
    await chat.shows(".envrc is back at its place, and yours.");
    expect(readFileSync(join(workspace, ".envrc"), "utf8")).toBe("export A=1\n");
    expect(chat.everything().match(/of this turn/g)).toHaveLength(1);
  },
);
