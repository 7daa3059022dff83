// Random histories of commands and a person, over real files: a model follows the data, and no label may be missing.
import fc from "fast-check";
import { afterAll, expect, test } from "vitest";
import { history, play } from "./history.ts";
import { removeRoots } from "./world.ts";

const HISTORIES = 10_000;
/** Others by this variable. */
const SEED = Number(process.env["MARGAY_LAWS_SEED"] ?? 20_261_125);
afterAll(removeRoots);

test(
  `L1 L2 no text is laundered and none is tainted for nothing, over ${HISTORIES} histories`,
  { timeout: 600_000 },
  async () => {
    let [own, tainted] = [0, 0];
    const property = fc.asyncProperty(history, async (steps) => {
      const { outputs } = await play(steps);
      const owns = outputs.filter((output) => output.own);
      own += owns.length;
      tainted += owns.filter((output) => output.tainted).length;
    });
    const details = await fc.check(property, { numRuns: HISTORIES, seed: SEED });
    console.log(`seed ${details.seed}: ${tainted} of ${own} outputs of one's own were tainted`);
    expect(details.failed ? `${String(details.errorInstance)}\n${fc.defaultReportMessage(details)}` : "").toBe("");
    expect(tainted / own).toBeLessThanOrEqual(0.05);
  },
);
