// A temporary chat in the terminal: leaving it is its end, alone and beside a gateway.
import { readdirSync, readFileSync, statSync } from "node:fs";
import { join } from "node:path";
import { says } from "@margay/core/testing";
import { describe, expect, test } from "vitest";
import { startGateway } from "../durability/running.ts";
import { program, type Program } from "./program.ts";
import { HAS_TMUX, type TerminalChat } from "./support.ts";

const PLANTED = "zanzibar-7f3a91c2";

function enter(chat: TerminalChat, text: string): void {
  chat.type(text);
  chat.press("Enter");
}

describe.skipIf(!HAS_TMUX).each(["alone", "beside a gateway"])("a temporary chat %s", (how) => {
  async function place(): Promise<Program & { readonly files: () => readonly string[] }> {
    const made = await program();
    const { home } = made.places;
    if (how !== "alone") await startGateway({ home, directory: join(home, "..") });
    const files = (): readonly string[] =>
      readdirSync(home, { recursive: true, encoding: "utf8" })
        .filter((path) => statSync(join(home, path), { throwIfNoEntry: false })?.isFile() === true)
        .filter((path) => readFileSync(join(home, path)).includes(PLANTED));
    return { ...made, files };
  }

  test("/temporary, --temporary and --plain say what becomes of it; nothing is left when it is left", async () => {
    const { model, start, files } = await place();
    model.replies(says("the first answer"), says("the second answer"), says("the third answer"));
    {
      await using chat = start();
      await chat.shows("New conversation");
      enter(chat, "/temporary");
      await chat.shows("Not in memory, search or backup.");
      enter(chat, `about ${PLANTED}`);
      await chat.shows("the first answer");
      expect(files().filter((path) => path.startsWith("sessions/")).length).toBeGreaterThan(0);
      expect(files().filter((path) => !path.startsWith("sessions/"))).toEqual([]); // not in the history of what was typed
      enter(chat, "/quit");
      await expect.poll(files, { timeout: 20_000 }).toEqual([]);
    }
    for (const flag of ["--temporary", "--plain"]) {
      await using chat = start(flag, "--temporary");
      await chat.shows("Not in memory, search or backup.");
      enter(chat, `about ${PLANTED}`);
      await chat.shows(flag === "--plain" ? "the third answer" : "the second answer");
      enter(chat, "/quit");
      await expect.poll(files, { timeout: 20_000 }).toEqual([]);
    }
  });
});
