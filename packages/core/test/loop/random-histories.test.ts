import * as fc from "fast-check";
import { test } from "vitest";
import { playHistory } from "../support/play-history.ts";
import { history } from "../support/random-script.ts";
import { WIRES } from "../support/wires.ts";

/** On each of the four wires: 300 in all. */
const RUNS = 75;

for (const wire of Object.keys(WIRES))
  test(
    `CX2 LP19 LP20 on ${wire} no history leads to an illegal request, and every turn ends with a reply`,
    { timeout: 300_000 },
    () =>
      // What failed is printed as it was: making it smaller takes longer than reading it.
      fc.assert(
        fc.asyncProperty(history, (item) => playHistory(wire, item)),
        { numRuns: RUNS, timeout: 60_000, endOnFailure: true },
      ),
  );
