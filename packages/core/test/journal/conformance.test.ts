import { test } from "vitest";

import { openJournalDirectory } from "../../src/journal/directory.ts";
import { memoryJournals } from "../../src/testing/memory-journals.ts";
import { journalConformance } from "../../src/testing/journal-conformance.ts";
import { uneven } from "../support/each-commit.ts";
import { temporaryFolder } from "../support/folder.ts";

journalConformance(
  (name, run) => test(`file ${name}`, run),
  async () => {
    const folder = await temporaryFolder();
    return {
      open: () => openJournalDirectory(folder.at("sessions")),
      [Symbol.asyncDispose]: () => folder[Symbol.asyncDispose](),
    };
  },
);

journalConformance(
  (name, run) => test(`memory ${name}`, run),
  () => {
    const journals = memoryJournals();
    return Promise.resolve({ open: () => journals });
  },
);

journalConformance(
  (name, run) => test(`shared memory ${name}`, run),
  () => {
    const shared = new Map();
    return Promise.resolve({ open: () => memoryJournals({ shared, away: uneven() }) });
  },
  { shared: true },
);
