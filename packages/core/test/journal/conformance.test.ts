import { test } from "vitest";

import { openFileJournal } from "../../src/journal/journal.ts";
import { createMemoryJournal } from "../../src/journal/memory-journal.ts";
import { journalConformance } from "../../src/testing.ts";
import { temporaryFolder } from "../support/folder.ts";

journalConformance(
  (name, run) => test(`file ${name}`, run),
  async () => {
    const folder = await temporaryFolder();
    return {
      open: () => openFileJournal(folder.at("a.journal")),
      [Symbol.asyncDispose]: () => folder[Symbol.asyncDispose](),
    };
  },
);

journalConformance(
  (name, run) => test(`memory ${name}`, run),
  () => {
    const lines: string[] = [];
    return Promise.resolve({ open: () => createMemoryJournal(lines) });
  },
  { fences: true },
);
