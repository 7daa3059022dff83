/** Every call of the system that a rich turn makes fails once: nothing is lost, nothing dies, and afterwards all goes on. */
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { differences, promises, seen } from "./busy-checks.ts";
import { sitDown, type Person } from "./busy-client.ts";
import { busyWorld, leftToDo, type BusyWorld } from "./busy-world.ts";
import { BROKEN_DISK, compileFaults, FULL_DISK, type Errors, type Faults } from "./fault-shim.ts";
import type { Running } from "./killed-gateway.ts";

/** What stands still for so long will not go on. */
const STUCK_MS = 120_000;
/** A fault that lasts: until the one who asked has heard of it, or a turn would long be over. */
const LASTING = 1_000_000;
/** Faults in one directory: what has been done grows, and with it each look at all of it. */
const FAULTS_PER_WORLD = 15;

/** Then another one: long ones are consolidated, and their calls are not the same any more. */
const TURNS_PER_CHAT = 4;

/** How many calls a rich turn makes. */
export async function callsOfTurn(): Promise<number> {
  let calls = 0;
  await inWorld(async ({ world, person, faults, running }) => {
    await warm(world, person, running);
    faults.arm(LASTING, 0, FULL_DISK);
    person.say({ kind: "rich", id: "r1x0z", place: { chat: 0, by: "http" } });
    await person.sit(running, () => leftToDo(world, running), { deadlineMs: STUCK_MS });
    calls = faults.lift().count;
    const broken = promises(world, person);
    if (broken.length > 0) throw new Error(`the undisturbed turn: ${broken.join("; ")}`);
  });
  return calls;
}

/** @param numbers Which calls fail. @param log Told of each fault. */
export async function faultyTurns(
  numbers: readonly number[],
  log: (line: string) => void = () => {},
): Promise<readonly string[]> {
  const broken: string[] = [];
  for (let from = 0; from < numbers.length; from += FAULTS_PER_WORLD)
    await inWorld(async (place) => {
      await warm(place.world, place.person, place.running);
      for (const [index, number] of numbers.slice(from, from + FAULTS_PER_WORLD).entries()) {
        const faults = await faultyTurn(place, number, index + 1, log);
        broken.push(...faults.map((each) => `call ${number}: ${each}`));
        if (faults.length > 0) return; // one broken promise says nothing about the next
      }
      broken.push(...(await sameAgain(place.world, place.running)));
    });
  return broken;
}

interface FaultyWorld {
  readonly world: BusyWorld;
  readonly person: Person;
  readonly faults: Faults;
  readonly running: Running;
}

async function inWorld(work: (place: FaultyWorld) => Promise<void>): Promise<void> {
  const tools = mkdtempSync(join(tmpdir(), "margay-shim-"));
  const world = await busyWorld();
  try {
    using faults = compileFaults(dirname(world.home), tools);
    const running = await world.start(undefined, { environment: faults.environment });
    if (running === undefined) throw new Error("nobody killed it");
    await work({ world, person: sitDown(world), faults, running });
  } finally {
    await world.close();
    rmSync(tools, { recursive: true, force: true });
  }
}

/** What is made once, at first use, is there: each turn after this one makes the same calls. */
async function warm(world: BusyWorld, person: Person, running: Running): Promise<void> {
  person.say({ kind: "rich", id: "r0x0z", place: { chat: 0, by: "http" } });
  await person.sit(running, () => leftToDo(world, running), { deadlineMs: STUCK_MS });
}

async function faultyTurn(
  { world, person, faults, running }: FaultyWorld,
  number: number,
  round: number,
  log: (line: string) => void,
): Promise<readonly string[]> {
  const errors: Errors = number % 2 === 0 ? FULL_DISK : BROKEN_DISK;
  const isLasting = round % 3 === 0;
  const id = `r${round}x${number}z`;
  faults.arm(number, isLasting ? LASTING : 1, errors);
  person.say({ kind: "rich", id, place: { chat: Math.floor(round / TURNS_PER_CHAT), by: "http" } });
  const left = (): Promise<readonly string[]> => leftToDo(world, running);
  // What lasts goes when it was said: or all was done before it came.
  await person.sit(running, left, {
    deadlineMs: STUCK_MS,
    ...(isLasting && { until: async () => (await ready(running)) === 503 }),
  });
  const { fired, last } = faults.lift();
  log(`call ${number}${isLasting ? " and all after it" : ""}: ${fired} × ${last} ${errors[last]}`);
  const unwell = async (): Promise<readonly string[]> => {
    const status = await ready(running);
    return status === 200 ? left() : [`/ready is ${status}`];
  };
  await person.sit(running, unwell, { deadlineMs: STUCK_MS });
  return (await ready(running)) === undefined
    ? [`the gateway ended: ${running.said()}`]
    : promises(world, person, { faulty: true });
}

/** What it says of itself; undefined when it is gone. */
async function ready({ url }: Running): Promise<number | undefined> {
  return fetch(`${url}/ready`).then(
    ({ status }) => status,
    () => undefined,
  );
}

async function sameAgain(world: BusyWorld, running: Running): Promise<readonly string[]> {
  const before = await seen(running);
  running.kill("SIGTERM");
  await running.gone;
  const again = await world.start();
  return again === undefined ? ["it ended at once"] : differences(before, await seen(again));
}
