// Histories of commands and a person, and what must be known after each of them.
import fs from "node:fs";
import fc from "fast-check";
import { stampOf } from "../../src/undo/file-state.ts";
import {
  changesOf,
  createWorld,
  download,
  isLabelled,
  look,
  lost,
  meet,
  NAMES,
  type Name,
  type OnOne,
  type OnTwo,
  type Operation,
  perform,
  remember,
  rootOn,
  savePage,
  type World,
} from "./world.ts";

/** So many of them in memory for one on a disk. */
const IN_MEMORY = 20;
const slices = { pause: () => undefined };

export type Step =
  | { readonly by: "page"; readonly at: Name; readonly size: "long" | "short" | "large" }
  | { readonly by: "command"; readonly operations: readonly Operation[]; readonly network: "no" | "reached" | "file" }
  | { readonly by: "person"; readonly operation: Operation };

export const name: fc.Arbitrary<Name> = fc.constantFrom("a", "b", "c", "d/e", "d/f");
const onOne = (...all: readonly OnOne[]): fc.Arbitrary<Operation> =>
  fc.record({ do: fc.constantFrom(...all), at: name });
const onTwo = (...all: readonly OnTwo[]): fc.Arbitrary<Operation> =>
  fc.record({ do: fc.constantFrom(...all), at: name, to: name });
const operation: fc.Arbitrary<Operation> = fc.oneof(
  { weight: 500, arbitrary: onOne("read", "hidden", "touch", "remove", "own", "short", "stat", "unpack") },
  { weight: 500, arbitrary: onTwo("move", "copy", "cut", "upper", "append", "link", "symbolic") },
  { weight: 300, arbitrary: onTwo("encode", "decode", "squeeze", "unsqueeze", "pack") },
  // Dear: thousands of kilobytes, hundreds of files.
  { weight: 5, arbitrary: onOne("large") },
  { weight: 1, arbitrary: onOne("spread") },
  { weight: 10, arbitrary: onTwo("gather") },
);
/** A person's work that is promised to keep labels: what only moves or repeats a text. */
const byPerson: fc.Arbitrary<Operation> = fc.oneof(
  onOne("remove", "own", "short", "read"),
  onTwo("move", "copy", "append"),
);
const size = fc.oneof(
  { weight: 80, arbitrary: fc.constant("long" as const) },
  { weight: 20, arbitrary: fc.constant("short" as const) },
  { weight: 1, arbitrary: fc.constant("large" as const) },
);
const step: fc.Arbitrary<Step> = fc.oneof(
  { weight: 1, arbitrary: fc.record({ by: fc.constant("page" as const), at: name, size }) },
  {
    weight: 5,
    arbitrary: fc.record({
      by: fc.constant("command" as const),
      operations: fc.array(operation, { minLength: 1, maxLength: 4 }),
      network: fc.integer({ min: 0, max: 19 }).map((one) => (one === 0 ? ("file" as const) : ("no" as const))),
    }),
  },
  { weight: 2, arbitrary: fc.record({ by: fc.constant("person" as const), operation: byPerson }) },
);

export const history: fc.Arbitrary<readonly Step[]> = fc.array(step, { minLength: 2, maxLength: 8 });

async function lookOutside(world: World): Promise<void> {
  const now = look(world);
  await world.commands.outside(changesOf(world, now), slices);
  world.seen = now;
}

async function arm(world: World): Promise<void> {
  await world.commands.arm(
    world.seen.keys(),
    (path, before, after) => {
      const state = world.seen.get(path);
      if (state?.kind === "file" && state.stamp === stampOf(before))
        world.seen.set(path, { ...state, stamp: stampOf(after) });
    },
    slices,
  );
  meet(world);
}

interface Output {
  /** Nothing a stranger's was handled. */
  readonly own: boolean;
  /** It was taken for a stranger's. */
  readonly tainted: boolean;
}
export interface Told {
  /** Of each command. */
  readonly outputs: readonly Output[];
  readonly labelled: readonly Name[];
}

async function command(world: World, key: string, one: Extract<Step, { readonly by: "command" }>): Promise<Output> {
  await lookOutside(world);
  if (lost(world).length > 0) throw new Error(`before ${key}: ${lost(world).join(", ")}`);
  const network = one.network === "no" ? [] : ["network example.org"];
  world.commands.begin(key, { turn: key, complete: true, causes: () => network });
  await arm(world);
  let handled = false;
  let read = false;
  for (const each of one.operations) {
    // Moved, removed, linked or written over: the table says handled, whoever printed what.
    handled ||= each.do === "pack" || each.do === "gather" || each.do === "unpack" || each.do === "spread";
    handled ||= each.do !== "stat" && [each.at, "to" in each ? each.to : each.at].some((at) => isLabelled(world, at));
    if (perform(world, each)) read = true;
  }
  if (one.network === "file") download(world, "a");
  const causes = await world.commands.causes([{ key, untrusted: false }], world.seen.keys(), slices);
  const now = look(world);
  await world.commands.settle(changesOf(world, now), { readers: [], causes, excluded: [], alone: true }, slices);
  world.seen = now;
  world.commands.end(key);
  // L1 for what it printed, and for what it left.
  if ((read || network.length > 0) && causes.length === 0) throw new Error(`${key} counts as one's own`);
  if (lost(world).length > 0) throw new Error(`after ${key}: ${lost(world).join(", ")}`);
  meet(world);
  remember(world);
  return { own: !read && network.length === 0 && !handled, tainted: causes.length > 0 };
}

let worlds = 0;
/** @throws when a text was laundered. */
export async function play(steps: readonly Step[]): Promise<Told> {
  worlds += 1;
  const world = createWorld(rootOn(worlds % IN_MEMORY === 0 ? "disk" : "memory"), worlds);
  const outputs: Output[] = [];
  try {
    for (const [index, one] of steps.entries()) {
      if (one.by === "page") savePage(world, one.at, one.size);
      else if (one.by === "person") perform(world, one.operation, "person");
      else outputs.push(await command(world, `step ${index}`, one));
    }
    return { outputs, labelled: NAMES.filter((name) => isLabelled(world, name)) };
  } finally {
    fs.rmSync(world.workspace, { recursive: true });
    fs.rmSync(world.state, { recursive: true, force: true });
  }
}
