// How much the terminal chat keeps and offers: each bound at n, and at one more.
import { execFileSync } from "node:child_process";
import { mkdirSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import type { SessionId } from "@margay/core/internal";
import * as pi from "@earendil-works/pi-tui";
import { expect, onTestFinished, test } from "vitest";
import { chatTexts } from "../../src/host/tui/texts.ts";
import { completion } from "../../src/host/tui/complete.ts";
import { createConversation } from "../../src/host/tui/conversation.ts";

interface Workspace {
  put(...paths: readonly string[]): void;
  /** What `@…` offers. */
  offers(typed: string): Promise<readonly string[]>;
}

function workspace(): Workspace {
  const folder = mkdtempSync(join(tmpdir(), "margay-complete-"));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  const provider = completion(folder, chatTexts("en"), pi);
  const { signal } = new AbortController();
  return {
    put: (...paths) => {
      for (const path of paths) if (path.includes("/")) mkdirSync(dirname(join(folder, path)), { recursive: true });
      execFileSync("touch", paths, { cwd: folder }); // thousands at once
    },
    offers: async (typed) =>
      (await provider.getSuggestions([typed], 0, typed.length, { signal }))?.items.map(({ value }) => value) ?? [],
  };
}
const files = (count: number): readonly string[] => Array.from({ length: count }, (_, n) => `f${n}`);

test("complete/MAX_SHOWN: 20 files are offered, whatever was typed", async () => {
  const { put, offers } = workspace();
  put(...files(20));
  expect([(await offers("@")).length, (await offers("@f")).length]).toEqual([20, 20]);
  put("f20");
  expect([(await offers("@")).length, (await offers("@f")).length]).toEqual([20, 20]);
});

test("complete/MAX_DEPTH: a file below seven folders is found, below eight it is not", async () => {
  const { put, offers } = workspace();
  put("a/a/a/a/a/a/a/seven", "a/a/a/a/a/a/a/a/eight");
  expect([await offers("@seven"), await offers("@eight")]).toEqual([["a/a/a/a/a/a/a/seven"], []]);
});

test("complete/MAX_FILES: 5,000 files are looked at, in one folder too", async () => {
  const { put, offers } = workspace();
  put(...files(4999), "last");
  expect(await offers("@last")).toEqual(["last"]);
  put("f4999");
  expect(await offers("@last")).toEqual([]);
});

test("conversation/MAX_ITEMS: 500 lines of a chat are kept, of one more the first leaves", () => {
  const first = (count: number): object | undefined => {
    const conversation = createConversation("s" as SessionId);
    for (const text of files(count)) conversation.note({ kind: "note", tone: "info", text });
    return conversation.shown.rows[0];
  };
  expect([first(500), first(501)]).toMatchObject([{ text: "f0" }, { text: "f1" }]);
});
