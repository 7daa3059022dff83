/** A home of the release before goes through this one and back, and this one is killed on the way. */
import { copyFileSync, existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import type { Commit } from "@margay/core";
import { generator } from "../durability/chaos.ts";
import { type Running, type StartOptions } from "../durability/killed-gateway.ts";
import { broken, factsOf, linesOf, versionOf, type Facts, type Lines } from "./facts.ts";
import { openHouse, type House } from "./house.ts";
import { momentsOf, type Course, type Moment, type Phase } from "./moments.ts";
import { goOn, type Saying } from "./new-life.ts";
import { liveIn } from "./old-life.ts";
import { FIXTURES } from "./releases.ts";
import { wayBack, type Returned } from "./way-back.ts";

const COPIES_HOOK = new URL("../durability/dies-at-file.ts", import.meta.url).href;
/** Of each life in which it is killed once more while it recovers from the first kill. */
const SECOND_KILL = 0.3;
const MAX_STARTS = 5;

export interface DrillOptions {
  /** The release before: its `bin/margay.js`, and whether it knows people. */
  readonly before: { readonly program: string; readonly people: boolean };
  readonly kills: number;
  readonly seed: number;
  readonly log: (line: string) => void;
}

export interface Lived {
  readonly phase: Phase;
  readonly moment: string;
  readonly kills: number;
  /** The chosen moment came. */
  readonly reached: boolean;
  /** From the last start until it rested. */
  readonly restMs: number;
  readonly broken: readonly string[];
}

export interface DrillReport {
  readonly conversations: number;
  /** That this release raised. */
  readonly raised: number;
  readonly course: Omit<Course, "copies">;
  readonly lives: readonly Lived[];
  readonly back: Returned;
  readonly broken: readonly string[];
}

export interface Drill extends DrillOptions {
  readonly house: House;
  /** What there was before. */
  readonly lines: Lines;
  readonly says: readonly Saying[];
}

export async function upgradeDrill(options: DrillOptions): Promise<DrillReport> {
  const { before, kills, seed, log } = options;
  await using house = await openHouse({ people: before.people });
  await liveIn(house, before.program, { people: before.people, log: (line) => log(`the release before: ${line}`) });
  layOlder(house);
  house.keep("before");
  const lines = linesOf(join(house.home, "sessions"));
  const drill: Drill = { ...options, house, lines, says: sayings([...lines.keys()], before.people) };
  log(`the new release, undisturbed, with ${lines.size} conversations`);
  const { course, facts, broken: first } = await undisturbed(drill);
  house.keep("after");
  const random = generator(seed);
  const lives: Lived[] = [];
  for (const moment of first.length > 0 ? [] : momentsOf(course, kills, random)) {
    const again = random() < SECOND_KILL ? random() * course.startMs * 1.5 : undefined;
    const lived = await killed(drill, moment, facts, again);
    lives.push(lived);
    const what = lived.broken.length === 0 ? `rests after ${Math.round(lived.restMs)} ms` : lived.broken.join("\n  ");
    log(`${lives.length}/${kills} ${moment.phase}, ${moment.text}${lived.kills > 1 ? ", and again" : ""}: ${what}`);
  }
  const back = await wayBack(drill, facts);
  return {
    conversations: lines.size,
    raised: [...course.copies.values()].reduce((sum, each) => sum + each, 0),
    course: { startMs: course.startMs, recovery: course.recovery, commits: course.commits },
    lives,
    back,
    broken: [...first, ...lives.flatMap((life) => life.broken), ...back.broken],
  };
}

/** Conversations that nobody went on with since an earlier release: its journals are in the home as it left them. */
function layOlder({ home }: House): void {
  const sessions = join(home, "sessions");
  const own = Math.max(0, ...readdirSync(sessions).flatMap((name) => versionIn(sessions, name)));
  for (const release of readdirSync(FIXTURES))
    for (const name of readdirSync(join(FIXTURES, release))) {
      const [version] = versionIn(join(FIXTURES, release), name);
      if (version === undefined || version >= own || !/^(?:web|subagent-web)-/.test(name)) continue;
      if (isAtWork(join(FIXTURES, release, name))) continue;
      if (!existsSync(join(sessions, name))) copyFileSync(join(FIXTURES, release, name), join(sessions, name));
    }
}

/** Of its command a receipt would lie in the home that it ran in: without that it never began, and would run here. */
function isAtWork(path: string): boolean {
  const text = readFileSync(path, "utf8");
  const calls = (pattern: RegExp): ReadonlySet<string | undefined> =>
    new Set([...text.matchAll(pattern)].map(([, call]) => call));
  const finished = calls(/"type":"tool\.finished".*?"callId":"([^"]+)"/g);
  return [...calls(/"type":"tool\.started".*?"call":"([^"]+)"/g)].some((call) => !finished.has(call));
}

/** With which a journal was begun. */
function versionIn(folder: string, name: string): readonly number[] {
  if (!name.endsWith(".journal")) return [];
  const [line = ""] = readFileSync(join(folder, name), "utf8").split("\n", 1);
  const [first] = (JSON.parse(line) as Commit).records; // written by margay
  return first?.type === "session.opened" ? [first.version] : [];
}

/** Something in each conversation that a person has, and in a new one. */
function sayings(sessions: readonly string[], people: boolean): readonly Saying[] {
  const errandOf = (index: number): Saying["errand"] => ({
    kind: index % 4 === 0 ? "chat" : "talk",
    id: `r5x${index}z`,
  });
  const chats = ["a", ...(people ? ["eva"] : [])];
  return [
    ...sessions
      .filter((session) => session.startsWith("web-"))
      .map((session, index): Saying => ({ session, errand: errandOf(index) })),
    ...chats.map((chat, index): Saying => ({ chat, errand: { kind: "talk", id: `r6x${index}z` } })),
    { errand: { kind: "chat", id: "r7x0z" } },
  ];
}

interface Undisturbed {
  readonly course: Course;
  readonly facts: Facts;
  readonly broken: readonly string[];
}

async function undisturbed(drill: Drill): Promise<Undisturbed> {
  const { house, lines, says } = drill;
  await house.open();
  const counted = (): number => count(linesOf(join(house.home, "sessions"))) - count(lines);
  const begun = performance.now();
  const running = await house.start();
  const startMs = performance.now() - begun;
  if (running === undefined) throw new Error("it was killed by somebody else");
  let recovery = 0;
  const reached = (stage: string): void => void (stage === "recovery" && (recovery = counted()));
  await goOn(house, running, { says, reached });
  const { facts, broken: all } = await look(drill, running);
  const copies = new Map<string, number>();
  for (const name of readdirSync(join(house.home, "sessions"))) {
    const [ending] = /\.version-\d+$/.exec(name) ?? [];
    if (ending !== undefined) copies.set(ending, (copies.get(ending) ?? 0) + 1);
  }
  return { course: { startMs, recovery, commits: counted(), copies }, facts, broken: all };
}

function count(lines: Lines): number {
  return [...lines.values()].reduce((sum, each) => sum + each.length, 0);
}

/** Ends it in order and looks at what it left. */
async function look(
  { house, lines }: Drill,
  running: Running,
  wanted?: Facts,
): Promise<{ readonly facts: Facts; readonly broken: readonly string[] }> {
  running.kill("SIGTERM");
  await running.gone;
  const facts = await factsOf(house, new Set(lines.keys()));
  return { facts, broken: [...broken(house, facts, lines, wanted), ...copiesOf(house, lines, facts)] };
}

/** Beside each journal that was raised lies what it was. */
function copiesOf({ home }: House, lines: Lines, facts: Facts): readonly string[] {
  const sessions = join(home, "sessions");
  return [...lines].flatMap(([session, before]) => {
    const version = versionOf(before);
    if ((facts.get(session)?.version ?? 0) <= version) return [];
    const kept = join(sessions, `${session}.version-${version}`);
    if (!existsSync(kept)) return [`${session} was raised, and nothing is kept of what it was`];
    return readFileSync(kept, "utf8") === `${before.join("\n")}\n` ? [] : [`${kept} is not what the journal was`];
  });
}

async function killed(drill: Drill, moment: Moment, wanted: Facts, again: number | undefined): Promise<Lived> {
  const { house, says } = drill;
  house.bring("before");
  await house.open();
  let kills = 0;
  let isReached = true;
  const lived = (begun: number, problems: readonly string[]): Lived => {
    const { phase, text } = moment;
    return { phase, moment: text, kills, reached: isReached, restMs: performance.now() - begun, broken: problems };
  };
  let begun = 0;
  try {
    for (let number = 1; number <= MAX_STARTS; number++) {
      begun = performance.now();
      const running = await startFor(house, number === 1 ? moment : number === 2 ? again : undefined);
      const answers = running && (await goOn(house, running, { says }));
      if (running !== undefined && answers !== undefined) {
        if (number > 1) return lived(begun, (await look(drill, running, wanted)).broken);
        isReached = false; // it had fewer commits than the undisturbed one: killed at its rest
        running.kill("SIGKILL");
        await running.gone;
      }
      kills++;
    }
    return lived(begun, [`it died in each of ${MAX_STARTS} starts`]);
  } catch (error) {
    await house.end();
    return lived(begun, [`${moment.phase}, ${moment.text}: ${error instanceof Error ? error.message : String(error)}`]);
  }
}

async function startFor(house: House, death: Moment | number | undefined): Promise<Running | undefined> {
  if (death === undefined) return house.start();
  if (typeof death === "number") return dyingAfter(house, death);
  if ("afterMs" in death) return dyingAfter(house, death.afterMs);
  if ("at" in death)
    return house.start(death.at, {
      environment: death.raised === true ? { MARGAY_CRASH_WORD: '"journal.raised"' } : {},
    });
  const environment = {
    NODE_OPTIONS: `--import ${COPIES_HOOK}`,
    DIES_REPLACING: death.name,
    DIES_AT: String(death.copy),
  };
  return house.start(undefined, { environment });
}

/** Also when it listens by then. */
async function dyingAfter(house: House, ms: number): Promise<Running | undefined> {
  const spawned: StartOptions["spawned"] = (child) => {
    const timer = setTimeout(() => child.kill("SIGKILL"), ms);
    child.once("close", () => clearTimeout(timer));
  };
  return house.start(undefined, { spawned });
}
