// L5: of two commands that overlap, what either handled counts for both, in every order of what they do.
import fs from "node:fs";
import { join } from "node:path";
import { afterAll, describe, expect, test } from "vitest";
import { systemClock } from "../../src/machine/system/clock.ts";
import { PAGE } from "./bench.ts";
import { type Given, liveBench, type LiveBench } from "./live.ts";
import { fileTime, removeRoots } from "./world.ts";

afterAll(removeRoots);

/** Between its start and its end. `send` is a write of all it knows, `take` reads that. */
type Act = "read page" | "read saved" | "network" | "send" | "send more" | "take" | "unsend" | "keep" | "nothing";

interface Course {
  readonly name: string;
  readonly first: readonly Act[];
  readonly second: readonly Act[];
  /** The first one was given after a stranger's text was read. */
  readonly untrusted?: true;
  /** A file tool saves another page at any moment. */
  readonly saved?: true;
}

const COURSES: readonly Course[] = [
  { name: "one reads, the other writes", first: ["read page", "send"], second: ["nothing", "keep"] },
  { name: "one reads and writes, the other reads that", first: ["read page", "send"], second: ["take", "keep"] },
  { name: "one came from the network", first: ["network", "send"], second: ["take", "keep"] },
  { name: "one was given by a stranger", first: ["nothing", "send"], second: ["take", "keep"], untrusted: true },
  {
    name: "what came by the network is taken away again",
    first: ["network", "send", "unsend"],
    second: ["take"],
  },
  {
    name: "what came by the network is written to again later",
    first: ["network", "send", "send more"],
    second: ["take"],
  },
  { name: "a page is saved meanwhile", first: ["read saved"], second: ["keep"], saved: true },
];

interface Mind {
  /** It has read what a stranger wrote. */
  strange: boolean;
  sources: string[];
}

/** A page of the disk, and the model beside it. */
async function perform(bench: LiveBench, act: Act, who: string, mind: Mind, strange: Set<string>): Promise<void> {
  const at = (name: string): string => join(bench.workspace, name);
  const read = (name: string): void => {
    if (!fs.existsSync(at(name))) return;
    fs.readFileSync(at(name));
    if (strange.has(name)) mind.strange = true;
  };
  const write = (name: string, flag: string): void => {
    fs.writeFileSync(at(name), `${who} writes ${name}\n`, { flag });
    if (mind.strange) strange.add(name);
    else if (flag === "w") strange.delete(name);
  };
  if (act === "read page") read("p.md");
  else if (act === "read saved") read("saved.md");
  else if (act === "network") {
    mind.sources.push("network example.org");
    mind.strange = true;
  } else if (act === "send") write("sent", "w");
  else if (act === "send more") {
    ticked(bench, at("sent"));
    write("sent", "a");
  } else if (act === "take") read("sent");
  else if (act === "unsend") fs.rmSync(at("sent"), { force: true });
  else if (act === "keep") write(`kept by ${who}`, "w");
}

/** Until the clock of the file system is so much later that no tick explains it. */
function ticked({ state }: LiveBench, since: string): void {
  const then = fs.statSync(since, { bigint: true, throwIfNoEntry: false })?.ctimeNs ?? 0n;
  while (fileTime(state) < then + 25_000_000n);
}

function* orders<One>(left: readonly One[], right: readonly One[]): Generator<readonly One[]> {
  const [first, ...others] = left;
  const [other, ...rest] = right;
  if (first === undefined) yield right;
  else if (other === undefined) yield left;
  else {
    for (const order of orders(others, right)) yield [first, ...order];
    for (const order of orders(left, rest)) yield [other, ...order];
  }
}

type Step = readonly [who: "A" | "B" | "tool", what: Act | "start" | "end" | "save"];

async function play({ untrusted, first }: Course, order: readonly Step[]): Promise<readonly string[]> {
  const bench = liveBench();
  await bench.page("p.md", PAGE);
  await bench.page("old.md", PAGE.toUpperCase());
  const strange = new Set(["p.md", "old.md"]);
  const minds = {
    A: { strange: untrusted === true, sources: [] as string[] },
    B: { strange: false, sources: [] as string[] },
  };
  const wrong: string[] = [];
  for (const [who, what] of order) {
    if (who === "tool") {
      await bench.page("saved.md", PAGE.split("").toReversed().join(""));
      strange.add("saved.md");
      continue;
    }
    const mind = minds[who];
    if (what === "start") {
      const given: Given = {
        causes: () => [...mind.sources],
        ...(who === "A" && untrusted && { untrusted }),
        ...(who === "A" && first.includes("network") && { network: true }),
      };
      await bench.start(who, given);
      await bench.ready(who);
    } else if (what === "end") {
      const causes = await bench.end(who);
      if (mind.strange && causes.length === 0) wrong.push(`${who} counts as one's own`);
    } else if (what !== "save") await perform(bench, what, who, mind, strange);
  }
  for (const path of strange)
    if (fs.existsSync(join(bench.workspace, path)) && !bench.labels.byPath(path)) wrong.push(path);
  return wrong;
}

describe("L5 two commands at once", () => {
  test.each(COURSES.map((course) => [course.name, course] as const))("%s", async (_, course) => {
    const steps = (who: "A" | "B", acts: readonly Act[]): readonly Step[] => [
      [who, "start"],
      ...acts.map((act): Step => [who, act]),
      [who, "end"],
    ];
    const found: Record<string, readonly string[]> = {};
    for (const both of orders(steps("A", course.first), steps("B", course.second))) {
      const saves = course.saved === true ? both.map((__, at) => at) : [undefined];
      for (const at of saves) {
        const order: readonly Step[] = at === undefined ? both : both.toSpliced(at, 0, ["tool", "save"]);
        const wrong = await play(course, order);
        if (wrong.length > 0) found[order.map(([who, what]) => `${who} ${what}`).join(", ")] = wrong;
      }
    }
    expect(found).toEqual({});
  });

  test("what one read is not lost when another starts, and is when it is armed alone again", async () => {
    const bench = liveBench();
    await bench.page("p.md", PAGE);
    await bench.start("A");
    await bench.ready("A");
    fs.readFileSync(join(bench.workspace, "p.md"));
    await bench.start("B");
    await bench.ready("B");
    expect(await bench.end("A")).toEqual(["read p.md"]);
    expect(await bench.end("B")).toEqual(["read p.md"]);
    await bench.start("C");
    await bench.ready("C");
    expect(await bench.end("C")).toEqual([]);
  });

  test("what one does while the other is looked at is not lost between the two", async () => {
    // Every moment at which the look asks for the time is one at which others run.
    for (let moment = 1; moment <= 30; moment += 1) {
      const clock = systemClock();
      let left = Infinity;
      let act = (): void => undefined;
      const told = {
        ...clock,
        monotonic: () => {
          left -= 1;
          if (left === 0) act();
          return clock.monotonic();
        },
      };
      const bench = liveBench({ clock: told });
      await bench.page("p.md", PAGE);
      for (const who of ["A", "B"]) {
        await bench.start(who);
        await bench.ready(who);
      }
      act = () => {
        fs.readFileSync(join(bench.workspace, "p.md"));
        fs.writeFileSync(join(bench.workspace, "kept"), PAGE.toUpperCase());
      };
      left = moment;
      await bench.end("A");
      left = Infinity;
      await bench.end("B");
      expect([moment, !fs.existsSync(join(bench.workspace, "kept")) || bench.labels.byPath("kept")]).toEqual([
        moment,
        true,
      ]);
    }
  });

  test("SC1 without copies, what comes by the network is labelled and followed all the same", async () => {
    const bench = liveBench({ maxBytes: 0 });
    await bench.start("A", { network: true, causes: () => ["network example.org"] });
    await bench.ready("A");
    fs.writeFileSync(join(bench.workspace, "n.txt"), PAGE);
    await bench.end("A");
    expect(bench.labels.byPath("n.txt")).toBe(true);
  });
});
