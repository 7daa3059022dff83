import { test } from "vitest";

import { openJournalDirectory } from "../../src/journal/directory.ts";
import { memoryJournals } from "../../src/testing/memory-journals.ts";
import { openSessions } from "../../src/session/sessions.ts";
import { fakeClock, sessionStoreConformance } from "../../src/testing.ts";
import { uneven } from "../support/each-commit.ts";
import { temporaryFolder } from "../support/folder.ts";

sessionStoreConformance(
  (name, run) => test(`file ${name}`, run),
  async () => {
    const folder = await temporaryFolder();
    const clock = fakeClock();
    return {
      open: () => openSessions({ journals: openJournalDirectory(folder.at("sessions")), clock }),
      [Symbol.asyncDispose]: () => folder[Symbol.asyncDispose](),
    };
  },
);

sessionStoreConformance(
  (name, run) => test(`memory ${name}`, run),
  () => {
    const journals = memoryJournals();
    const clock = fakeClock();
    return Promise.resolve({ open: () => openSessions({ journals, clock }) });
  },
);

sessionStoreConformance(
  (name, run) => test(`shared memory ${name}`, run),
  () => {
    const shared = new Map();
    const clock = fakeClock();
    return Promise.resolve({
      open: () => openSessions({ journals: memoryJournals({ shared, away: uneven() }), clock }),
    });
  },
  { shared: true },
);

sessionStoreConformance(
  (name, run) => test(`file, two sessions kept in memory: ${name}`, run),
  async () => {
    const folder = await temporaryFolder();
    const clock = fakeClock();
    return {
      open: () => openSessions({ journals: openJournalDirectory(folder.at("sessions")), clock, cached: 2 }),
      [Symbol.asyncDispose]: () => folder[Symbol.asyncDispose](),
    };
  },
);
