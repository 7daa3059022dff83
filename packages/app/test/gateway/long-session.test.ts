import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { says } from "@margay/core/testing";
import { cpuOf } from "@margay/core/internal/testing";
import { expect, test } from "vitest";
import { writeSession } from "./journals.ts";
import { KEPT_MS, stretchesOf } from "./stretch.ts";
import { startGateway } from "./support.ts";

/** What `readPlainly` takes on the machine that this was written on: a slower one, or shared caches, may take longer for all. */
const READING_MS = 60;

async function readPlainly(journal: string): Promise<void> {
  for (const line of (await readFile(journal, "utf8")).split("\n")) if (line !== "") JSON.parse(line);
}

test(
  "10,000 messages: a page of 50 is quick, cold and warm, keeps nothing up, and the next turn begins at once",
  { timeout: 300_000 },
  async (t) => {
    const long: string[] = [];
    const gateway = await startGateway(t, {
      prepare: ({ home }) => {
        writeSession(home, { key: "web:short", turns: 300 });
        for (const name of ["one", "two"])
          long.push(
            writeSession(home, {
              key: `web:${name}`,
              turns: 5_000,
              answer: (turn) => `Answer ${turn}: ${"word ".repeat(40)}`,
            }),
          );
      },
    });
    const { items } = (await gateway.api("/sessions")).body; // the list has been read: what follows is the page
    const short = items.find(({ key }: { key: string }) => key === "web:short").id as string;
    const page = async (session: string): Promise<void> => {
      expect((await gateway.api(`/sessions/${session}/messages?limit=50`)).body.items).toHaveLength(50);
    };
    const say = async (session: string): Promise<void> => {
      gateway.model.replies(says("Still here."));
      const body = { parts: [{ type: "text", text: "and now?" }] };
      expect((await gateway.api(`/sessions/${session}/messages`, { method: "POST", body })).status).toBe(202);
      await gateway.app.agent.idle();
    };
    await page(short);
    await say(short); // V8 has compiled what follows
    const seen = { kept: [], cold: [], warm: [], first: [], next: [] } as Record<string, number[]>;
    for (const id of long) {
      const path = join(gateway.home, "sessions", `${id}.journal`);
      const slower = Math.max(1, (await cpuOf(() => readPlainly(path))) / READING_MS);
      let cold = 0;
      const { longestMs } = await stretchesOf(async () => {
        cold = await cpuOf(() => page(id));
      });
      const note = (name: string, ms: number): unknown => (seen[name] ??= []).push(ms / slower);
      note("kept", longestMs);
      note("cold", cold);
      for (let n = 0; n < 12; n++) note("warm", await cpuOf(() => page(id)));
      // Its journal is read, folded and asked about: some 30,000 commits.
      note("first", await cpuOf(() => say(id)));
      note("next", await cpuOf(() => say(id)));
    }
    // The better of two: a collection of garbage falls into one or the other.
    const best = (name: string): number => Math.min(...(seen[name] ?? []));
    expect(best("kept")).toBeLessThan(KEPT_MS);
    expect(best("cold")).toBeLessThan(300);
    expect(seen["warm"]?.toSorted((a, b) => a - b)[12]).toBeLessThan(50);
    expect(best("first")).toBeLessThan(1500);
    expect(best("next")).toBeLessThan(300);
  },
);
