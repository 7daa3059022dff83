// L4: whenever margay dies, afterwards at least as much is known as a stranger's as if it had not.
import { createHash } from "node:crypto";
import fs from "node:fs";
import { join } from "node:path";
import { deflateSync } from "node:zlib";
import { afterAll, describe, expect, test } from "vitest";
import { PAGE } from "./bench.ts";
import { type Given, known, liveBench, type LiveBench } from "./live.ts";
import { removeRoots } from "./world.ts";

afterAll(removeRoots);

interface Scenario {
  readonly name: string;
  /** What had been there. */
  readonly before?: (bench: LiveBench) => Promise<void>;
  readonly given?: () => Given;
  /** What the command does: it goes on when margay dies. */
  readonly acts: readonly ((workspace: string) => void)[];
}

const read =
  (path: string) =>
  (workspace: string): void =>
    void fs.readFileSync(join(workspace, path));
const write =
  (path: string, text: string) =>
  (workspace: string): void => {
    fs.mkdirSync(join(workspace, path, ".."), { recursive: true });
    fs.writeFileSync(join(workspace, path), text);
  };
const move =
  (from: string, to: string) =>
  (workspace: string): void =>
    fs.renameSync(join(workspace, from), join(workspace, to));
const page = (bench: LiveBench): Promise<void> => bench.page("p.md", PAGE);
/** It reaches a host after it has started. */
function network(): Given {
  let asked = 0;
  return { network: true, causes: () => (asked++ === 0 ? [] : ["network example.org"]) };
}
const hash = createHash("sha1").update(`blob ${PAGE.length}\0${PAGE}`).digest("hex");
const object = deflateSync(`blob ${PAGE.length}\0${PAGE}`);

const SCENARIOS: readonly Scenario[] = [
  {
    name: "a page is read, and what is made of it written",
    before: page,
    acts: [read("p.md"), write("made.txt", PAGE.toUpperCase()), write("short", "yes")],
  },
  {
    name: "a page is moved and linked",
    before: page,
    acts: [move("p.md", "q.md"), (at) => fs.linkSync(join(at, "q.md"), join(at, "r.md"))],
  },
  { name: "a file comes from the network", given: network, acts: [write("n.txt", PAGE), write("n/m.txt", "yes")] },
  {
    name: "a repository comes from the network",
    given: network,
    acts: [write("clone/.git/HEAD", "ref: refs/heads/main\n"), write("clone/README.md", PAGE)],
  },
  {
    name: "names come from the network",
    given: network,
    acts: [..."123456789"].map((name) => write(`names/${name}`, name)),
  },
  { name: "a received file is copied", given: () => ({ causes: () => ["inbox"] }), acts: [write("copy.txt", PAGE)] },
  {
    name: "it was given after a stranger's text was read",
    given: () => ({ untrusted: true }),
    acts: [write("u.txt", PAGE)],
  },
  {
    name: "a person had moved the page",
    before: async (bench) => {
      await bench.start("first");
      await bench.ready("first");
      await bench.end("first");
      await page(bench);
      move("p.md", "r.md")(bench.workspace);
    },
    acts: [read("r.md"), write("made.txt", "yes")],
  },
  {
    name: "a page goes into a repository",
    before: page,
    acts: [
      write(".git/HEAD", "ref: refs/heads/main\n"),
      read("p.md"),
      (workspace) => {
        const path = join(workspace, ".git/objects", hash.slice(0, 2));
        fs.mkdirSync(path, { recursive: true });
        fs.writeFileSync(join(path, hash.slice(2)), object);
      },
    ],
  },
];

/** Who finds the command after the crash. */
const FINDERS: Readonly<Record<string, (bench: LiveBench) => Promise<unknown>>> = {
  "by its own turn": (bench) => bench.end("it"),
  "by the next turn": (bench) => bench.start("next"),
  "by a person who asks what changed": (bench) => bench.undo.list(),
};

type Kill =
  | { readonly after: number; readonly index?: "torn" }
  /** While the look before or after it labels: after so many writes, with the last one cut in half or whole. */
  | { readonly in: "start" | "end"; readonly writes: number; readonly torn: boolean };

/** As where a process died while it wrote the last line. */
function tear(file: string): void {
  if (!fs.existsSync(file)) return; // the workspace was empty
  const data = fs.readFileSync(file);
  const start = data.lastIndexOf("\n", data.length - 2) + 1;
  fs.truncateSync(file, Math.floor((start + data.length) / 2));
}

function isBegun(kill: Kill): boolean {
  return "in" in kill ? kill.in === "end" : kill.after > 0;
}

async function play(
  { before, given, acts }: Scenario,
  kill?: Kill,
  find?: (bench: LiveBench) => Promise<unknown>,
): Promise<{ readonly known: ReadonlySet<string>; readonly writes: Readonly<Record<"start" | "end", number>> }> {
  const bench = liveBench();
  await before?.(bench);
  const writes = { start: 0, end: 0 };
  const steps: readonly (() => void | Promise<unknown>)[] = [
    () => bench.start("it", given?.()),
    () => bench.ready("it"),
    ...acts.map((act) => () => act(bench.workspace)),
    () => bench.end("it"),
  ];
  let dead = false;
  for (const [index, step] of steps.entries()) {
    const at = index === 0 ? "start" : index === steps.length - 1 ? "end" : undefined;
    if (dead && (index <= 1 || at === "end")) continue;
    const isHere = kill !== undefined && "in" in kill && kill.in === at;
    if (isHere) bench.dieAfter(kill.writes, kill.torn);
    const first = bench.writes;
    await step();
    if (at !== undefined) writes[at] = bench.writes - first;
    if (isHere || (kill !== undefined && "after" in kill && kill.after === index)) {
      if ("index" in kill) tear(join(bench.state, "undo", "index.jsonl"));
      bench.restart();
      dead = true;
      if (index === 0) break; // it was never begun
    }
  }
  await find?.(bench);
  if (kill !== undefined && !isBegun(kill)) await bench.start("next"); // nobody looks after what never ran
  return { known: known(bench), writes };
}

describe.each(SCENARIOS.map((scenario) => [scenario.name, scenario] as const))("L4 %s", (_, scenario) => {
  test.each(Object.entries(FINDERS))("and margay dies at any step; it is found %s", async (__, find) => {
    const { known: all, writes } = await play(scenario);
    const { known: without } = await play({ ...scenario, acts: [] });
    expect(all).not.toEqual(new Set());
    const kills: Kill[] = Array.from({ length: scenario.acts.length + 3 }, (___, after) => ({ after }));
    kills.push({ after: 0, index: "torn" }, { after: 2, index: "torn" }, { after: kills.length - 1, index: "torn" });
    for (const place of ["start", "end"] as const)
      for (let count = 0; count <= writes[place]; count += 1)
        for (const torn of count === 0 ? [false] : [false, true]) kills.push({ in: place, writes: count, torn });
    const lost: Record<string, readonly string[]> = {};
    for (const kill of kills) {
      const { known: left } = await play(scenario, kill, find);
      const missing = [...(isBegun(kill) ? all : without)].filter((fact) => !left.has(fact));
      if (missing.length > 0) lost[JSON.stringify(kill)] = missing;
    }
    expect(lost).toEqual({});
  });
});
