/** The way back of docs/install.md: the release before over a home that this one used, and up again. */
import { execFile } from "node:child_process";
import { appendFileSync, copyFileSync, readdirSync, readFileSync, renameSync } from "node:fs";
import { dirname, join } from "node:path";
import { crc32 } from "node:zlib";
import { factsOf, hashOf, linesOf, lost, versionOf, violationsOf, type Facts, type Lines } from "./facts.ts";
import type { House } from "./house.ts";
import { goOn, type Answered, type Saying } from "./new-life.ts";

export interface Returned {
  /** Conversations in which the release before answered. */
  readonly answered: number;
  /** That it refused by name, until they were what they had been. */
  readonly refused: number;
  /** Of these it answered in so many, once the copies had their names back. */
  readonly restored: number;
  /** And this release answered in so many at the end. */
  readonly again: number;
  readonly broken: readonly string[];
}

export interface WayBackOptions {
  readonly house: House;
  /** The release before. */
  readonly before: { readonly program: string };
  /** What there was, kept as "before"; this release left what is kept as "after". */
  readonly lines: Lines;
  readonly log: (line: string) => void;
}

/** And where findings go. */
interface Way extends WayBackOptions {
  readonly problems: string[];
}

export async function wayBack(options: WayBackOptions, after: Facts): Promise<Returned> {
  const { house, before, lines, log } = options;
  const way: Way = { ...options, problems: [] };
  const sessions = join(house.home, "sessions");

  log("back by the copy of the state directory");
  house.bring("before");
  const copied = await life(way, "the copy", { program: before.program, says: sayingsIn([...lines.keys()], 8) });
  if (refusedOf(copied).length > 0) way.problems.push(`the copy: ${refusedOf(copied).join()} refused`);

  log("back without it: what is newer is refused, all else goes on");
  house.bring("after");
  const newest = Math.max(...[...lines.values()].map(versionOf));
  const tooNew = [...after.values()].flatMap(({ session, version }) => (version > newest ? [session] : []));
  const first = await refusing(way, "the release before", { tooNew, round: 9 });

  log("up again");
  const returned = linesOf(sessions);
  const last = await life(way, "up again", { says: sayingsIn([...returned.keys()], 11) });
  if (refusedOf(last).length > 0) way.problems.push(`up again: ${refusedOf(last).join()} refused`);
  way.problems.push(...lost(house, returned).map((each) => `up again: ${each}`));

  log("back from a release that got no further than some conversations");
  house.bring("before");
  const raised = [...lines.keys()]
    .filter((session) => session.startsWith("web-") && isDone(lines.get(session)))
    .slice(0, 2);
  for (const session of raised) raiseByHand(sessions, session, newest);
  const second = await refusing(way, "beside what is newer", { tooNew: raised, round: 12 });
  return {
    answered: first.answered + second.answered,
    refused: first.refused + second.refused,
    restored: first.restored + second.restored,
    again: last.length - refusedOf(last).length,
    broken: way.problems,
  };
}

/** The release before refuses these by name, changes nothing of them, and goes on with them when their copies have their names. */
async function refusing(
  way: Way,
  name: string,
  { tooNew, round }: { readonly tooNew: readonly string[]; readonly round: number },
): Promise<Pick<Returned, "answered" | "refused" | "restored">> {
  const { house, before, problems } = way;
  const sessions = join(house.home, "sessions");
  const pathOf = (session: string): string => join(sessions, `${session}.journal`);
  const hashes = tooNew.map((session) => hashOf(pathOf(session)));
  const all = [...linesOf(sessions).keys()];
  const { program } = before;
  const answers = await life(way, name, {
    program,
    says: sayingsIn(all, round),
    skips: (session) => tooNew.includes(session),
  });
  for (const { saying, refused } of answers)
    if (tooNew.includes(saying.session ?? "") !== (refused !== undefined))
      problems.push(`${name}: ${saying.session} was ${refused ?? "not refused"}`);
  for (const [index, session] of tooNew.entries())
    if (hashOf(pathOf(session)) !== hashes[index])
      problems.push(`${name}: it changed ${session}, which it cannot read`);
  problems.push(...(await named(way, tooNew.length > 0)));

  // As docs/install.md says.
  const given: string[] = [];
  for (const kept of readdirSync(sessions).filter((each) => /\.version-\d+$/.test(each))) {
    const session = kept.replace(/\.version-\d+$/, "");
    if (!tooNew.includes(session)) continue;
    renameSync(join(sessions, kept), pathOf(session));
    given.push(session);
  }
  const restored =
    given.length === 0
      ? []
      : await life(way, `${name}, with the copies`, {
          program,
          says: sayingsIn(given, round + 1),
          skips: (session) => tooNew.includes(session) && !given.includes(session),
        });
  if (refusedOf(restored).length > 0) problems.push(`${name}, with the copies: ${refusedOf(restored).join()} refused`);
  const refused = refusedOf(answers).length;
  return { answered: answers.length - refused, refused, restored: restored.length - refusedOf(restored).length };
}

function refusedOf(answers: readonly Answered[]): readonly string[] {
  return answers.flatMap(({ saying, refused }) => (refused === undefined ? [] : [saying.session ?? ""]));
}

interface Life {
  /** Absent: this release. */
  readonly program?: string;
  readonly says: readonly Saying[];
  readonly skips?: (session: string) => boolean;
}

/** From a start to the rest and an end in order: all that is said and not refused is answered once. */
async function life(
  { house, problems }: Way,
  name: string,
  { program, ...person }: Life,
): Promise<readonly Answered[]> {
  try {
    await house.open();
    const running = await house.start(undefined, { ...(program !== undefined && { program }) });
    const answers = running && (await goOn(house, running, person));
    if (running === undefined || answers === undefined) throw new Error("it was killed by somebody else");
    running.kill("SIGTERM");
    await running.gone;
    const old = new Set(linesOf(join(house.home, "sessions")).keys());
    const facts = await factsOf(house, old, (session) => person.skips?.(session) !== true);
    for (const { saying, refused } of answers) {
      const { errand, session = "" } = saying;
      const times = facts.get(session)?.answers.filter((id) => id === errand.id).length ?? 0;
      if (refused === undefined && times !== 1)
        problems.push(`${name}: ${errand.id} in ${session} was answered ${times} times`);
    }
    problems.push(...violationsOf(house).map((each) => `${name}: ${each}`));
    return answers;
  } catch (error) {
    await house.end();
    problems.push(`${name}: ${error instanceof Error ? error.message : String(error)}`);
    return [];
  }
}

function sayingsIn(sessions: readonly string[], round: number): readonly Saying[] {
  return sessions
    .filter((session) => session.startsWith("web-"))
    .map((session, index) => ({ session, errand: { kind: "talk", id: `r${round}x${index}z` } }));
}

/** Its last turn ended, and it has one. */
function isDone(lines: readonly string[] = []): boolean {
  const kinds = [...lines.join("\n").matchAll(/"type":"(turn\.started|turn\.ended)"/g)].map(([, type]) => type);
  return kinds.at(-1) === "turn.ended";
}

/** As a release does that nobody has made yet. */
function raiseByHand(sessions: string, session: string, version: number): void {
  const path = join(sessions, `${session}.journal`);
  copyFileSync(path, join(sessions, `${session}.version-${version}`));
  const seq = readFileSync(path, "utf8").split("\n").length;
  const records = [{ type: "journal.raised", version: version + 1, by: "9.9.9" }];
  const body = JSON.stringify({ seq, at: Date.now(), records }).slice(1);
  appendFileSync(path, `{"crc":"${crc32(body).toString(16).padStart(8, "0")}",${body}\n`);
}

/** `doctor` and `sessions list` of the release before name what it cannot read, and the margay to install. */
async function named({ house, before }: Way, isAny: boolean): Promise<readonly string[]> {
  const directory = dirname(house.home);
  const env = { PATH: process.env["PATH"], HOME: directory, MARGAY_HOME: house.home, NO_COLOR: "1" };
  const broken: string[] = [];
  for (const words of [["doctor"], ["sessions", "list"]]) {
    const said = await new Promise<string>((resolve) => {
      execFile(process.execPath, [before.program, ...words], { env }, (_error, out, err) => resolve(`${out}${err}`));
    });
    if (said.includes("[journal.version]") !== isAny)
      broken.push(`\`margay ${words.join(" ")}\` of the release before: ${said}`);
  }
  return broken;
}
