// The upgrade drill with this build in the place of the release before, so that nothing has to be fetched and built: what it raises are
// journals of earlier releases. `npm run upgrade-drill` builds the release before, and kills at 50 moments.
import { expect, test } from "vitest";
import { PROGRAM } from "../durability/killed-gateway.ts";
import { upgradeDrill } from "./drill.ts";

test(
  "R428 SO26 a home goes through a newer margay that is killed as it starts, recovers, raises and answers, and back: each message answered once, nothing lost",
  {
    timeout: 600_000,
  },
  async () => {
    const said: string[] = [];
    const report = await upgradeDrill({
      before: { program: PROGRAM, people: true },
      kills: 4,
      seed: 2,
      log: (line) => void said.push(line),
    });
    const { broken, raised, lives, back } = report;
    expect({ broken, said: broken.length > 0 ? said : [] }).toEqual({ broken: [], said: [] });
    expect(raised).toBeGreaterThan(0);
    expect(new Set(lives.map(({ phase }) => phase)).size).toBe(4);
    expect([back.answered > 0, back.refused > 0, back.restored > 0, back.again > 0]).toEqual([true, true, true, true]);
  },
);
