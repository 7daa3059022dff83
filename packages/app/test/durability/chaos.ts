/** Random kills: a busy world, killed at random times, whole trees too, and what must hold each time it has healed. */
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as wait } from "node:timers/promises";
import { differences, promises, seen } from "./busy-checks.ts";
import { sitDown, type Person, type Place, type Said } from "./busy-client.ts";
import { api, busyWorld, leftToDo, type BusyWorld } from "./busy-world.ts";
import type { Kind } from "./errands.ts";
import type { Running } from "./killed-gateway.ts";

/** What stands still for so long will not go on. */
const STUCK_MS = 120_000;
/** From the start of a process, or from the first request to one that runs, to its kill, at most. */
const LONGEST_MS = 1500;
/** Kills in one directory: what has healed grows, and with it each look at all of it. */
export const KILLS_PER_LIFE = 10;

const KINDS: readonly Kind[] = ["chat", "slow", "left", "spawn", "wait", "cron", "mcp", "remember", "file"];

export interface ChaosVerdict {
  readonly killed: number;
  readonly errands: number;
  readonly broken: readonly string[];
}

/** @param log Told of each kill. */
export async function chaosLife(
  seed: number,
  kills: number,
  log: (line: string) => void = () => {},
): Promise<ChaosVerdict> {
  const random = generator(seed);
  const world = await busyWorld();
  const person = sitDown(world);
  let killed = 0;
  const broken: string[] = [];
  let running: Running | undefined;
  try {
    for (let round = 0; killed < kills && broken.length === 0; round++) {
      plan(person, world, round, random);
      // Half of the time it is killed again before it has healed, perhaps before it listens.
      const times = Math.min(kills - killed, random() < 0.5 ? 2 : 1);
      for (let time = 0; time < times; time++) {
        const how = pick(KILLS, random);
        const afterMs = random() * LONGEST_MS;
        await untilKilled(world, person, running, { how, afterMs });
        running = undefined;
        killed++;
        log(`round ${round}: ${how} after ${Math.round(afterMs)} ms`);
      }
      const healing = await healed(world, person, random() < 0.5 ? "SIGKILL" : "SIGTERM");
      broken.push(...healing.broken);
      ({ running } = healing);
    }
  } catch (error) {
    broken.push(error instanceof Error ? (error.stack ?? error.message) : String(error));
  } finally {
    // What the program said of it goes with its directory.
    if (broken.length > 0) broken.push(...readFileSync(join(world.home, "margay.log"), "utf8").split("\n").slice(-40));
    await world.close();
  }
  return { killed, errands: person.said.length, broken };
}

/** `process`: it alone; commands go on. `tree`: all that it started too. `stopping`: while it ends as it was asked to. */
type How = "process" | "tree" | "stopping";
const KILLS: readonly How[] = ["process", "process", "tree", "tree", "stopping"];

function plan(person: Person, world: BusyWorld, round: number, random: () => number): void {
  const number = 2 + Math.floor(random() * 3);
  for (let index = 0; index < number; index++) {
    const kind = pick(KINDS, random);
    const chat: Place = { chat: pick([0, 1, 2], random), by: pick(["http", "socket"], random) };
    // What asks needs somebody who can answer; what a job says can be counted at the webhook.
    const place: Place =
      kind === "cron" || (kind !== "chat" && random() < 0.4) ? { webhook: pick(["a", "b"], random) } : chat;
    const said: Said = { kind, id: `r${round}x${index}z`, place };
    person.say(said);
    if (kind === "file" && "chat" in place && random() < 0.5) person.undo({ ...said, place });
  }
  const used = person.said.flatMap(({ place }) => ("chat" in place ? [place.chat] : []));
  if (used.length > 0 && random() < 0.4) person.fork(pick(used, random));
  if (used.length > 0 && random() < 0.3) {
    world.model.expectNewEpoch("a consolidation");
    person.consolidate(pick(used, random));
  }
}

interface Kill {
  readonly how: How;
  readonly afterMs: number;
}

/** @param running Goes on; absent: one is started. */
async function untilKilled(
  world: BusyWorld,
  person: Person,
  running: Running | undefined,
  { how, afterMs }: Kill,
): Promise<void> {
  const timers: NodeJS.Timeout[] = [];
  const plan = (pid = 0): void => void timers.push(setTimeout(() => void kill(pid, how), afterMs));
  if (running !== undefined) plan(running.pid);
  const victim = running ?? (await world.start(undefined, { spawned: ({ pid }) => plan(pid) }));
  if (victim !== undefined) {
    if (running === undefined) await awake(victim);
    await person.sit(victim, () => Promise.resolve(["its kill"]));
  }
  for (const timer of timers) clearTimeout(timer);
}

async function kill(pid: number, how: How): Promise<void> {
  if (how === "stopping") {
    signal(pid, "SIGTERM");
    await wait(Math.random() * 100);
  }
  if (how !== "tree") return signal(pid, "SIGKILL");
  // Stopped first: what is being started must not get away.
  const all = new Set([pid]);
  for (let size = 0; size !== all.size;) {
    size = all.size;
    for (const each of all) signal(each, "SIGSTOP");
    for (const each of childrenOf(all)) all.add(each);
  }
  for (const each of all) signal(each, "SIGKILL");
}

function signal(pid: number, name: NodeJS.Signals): void {
  try {
    process.kill(pid, name);
  } catch {
    // ended meanwhile
  }
}

function childrenOf(parents: ReadonlySet<number>): readonly number[] {
  return readdirSync("/proc").flatMap((name) => {
    if (!/^\d+$/.test(name)) return [];
    try {
      const stat = readFileSync(`/proc/${name}/stat`, "latin1");
      const parent = Number(stat.slice(stat.lastIndexOf(")") + 4).split(" ")[0]);
      return parents.has(parent) ? [Number(name)] : [];
    } catch {
      return []; // ended meanwhile
    }
  });
}

/** After three crashes within five minutes schedules wait for a person: here is one. */
async function awake(running: Running): Promise<void> {
  await api(running, "/system/schedules/resume", { method: "POST" });
}

/**
 * Starts it once more, waits until nothing is left to do, looks at everything, and whether it is the same after another start.
 * @returns the one that was started last.
 */
async function healed(
  world: BusyWorld,
  person: Person,
  end: "SIGKILL" | "SIGTERM",
): Promise<{ readonly broken: readonly string[]; readonly running?: Running }> {
  const running = await world.start();
  if (running === undefined) return { broken: ["it was killed by somebody else"] };
  await awake(running);
  await person.sit(running, () => leftToDo(world, running), { deadlineMs: STUCK_MS });
  const broken = promises(world, person);
  if (broken.length > 0) return { broken };
  const before = await seen(running);
  running.kill(end);
  await running.gone;
  const again = await world.start();
  if (again === undefined) return { broken: ["it was killed by somebody else"] };
  await awake(again);
  return { broken: differences(before, await seen(again)), running: again };
}

function pick<Item>(items: readonly Item[], random: () => number): Item {
  return items[Math.floor(random() * items.length)] as Item; // never empty
}

/** Numbers from 0 to 1 that a seed decides (mulberry32). */
export function generator(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296;
  };
}
