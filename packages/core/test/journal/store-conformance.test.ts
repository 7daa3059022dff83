import { setImmediate } from "node:timers/promises";
import { test } from "vitest";
import { openFileStore } from "../../src/file-store.ts";
import { systemClock } from "../../src/machine/system/clock.ts";
import { silentLog } from "../../src/machine/system/log.ts";
import { storeConformance } from "../../src/testing.ts";
import { memoryCluster } from "../../src/testing/memory-store.ts";
import { temporaryFolder } from "../support/folder.ts";

const clock = systemClock();

storeConformance(
  (name, run) => test(`file ${name}`, run),
  async () => {
    const folder = await temporaryFolder();
    return {
      open: () => openFileStore(folder.at("home"), { clock, log: silentLog }),
      [Symbol.asyncDispose]: () => folder[Symbol.asyncDispose](),
    };
  },
);

storeConformance(
  (name, run) => test(`cluster in memory ${name}`, run),
  () => {
    const cluster = memoryCluster({ now: clock.now, away: () => setImmediate() });
    return Promise.resolve({ open: cluster.node });
  },
  { shared: true },
);
