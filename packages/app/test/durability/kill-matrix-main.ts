/**
 * `npm run kills`: the whole matrix, at least 300 kills; with `--connected` a gateway that a client follows, killed before, in
 * and after each commit of a turn. Prints what it did; exit code 1 when a promise broke.
 */
import { connectedLife } from "./connected.ts";
import { inPairs, pointText } from "./kill-points.ts";
import { commitsOfTurn, live, type Kill, type Life } from "./kill-matrix.ts";

interface Verdict {
  readonly killed: number;
  readonly broken: readonly string[];
}

const startedAt = performance.now();
const isConnected = process.argv.includes("--connected");
const { commits, lives, leastKills, run } = isConnected ? await connected() : await alone();
let killed = 0;
let failed = 0;
await inPairs(lives, async (life) => {
  const verdict = await run(life);
  killed += verdict.killed;
  if (verdict.broken.length === 0) return;
  failed++;
  process.stdout.write(`${life.kills.map(describe).join(", then ")}: ${verdict.broken.join("; ")}\n`);
});
process.stdout.write(
  `${commits} commits a turn, ${killed} kills in ${Math.round((performance.now() - startedAt) / 1000)} s, ${failed} broken promises\n`,
);
if (failed > 0 || killed < leastKills) process.exitCode = 1;

interface Matrix {
  readonly commits: number;
  readonly lives: readonly Life[];
  readonly leastKills: number;
  run(life: Life): Promise<Verdict>;
}

async function alone(): Promise<Matrix> {
  const commits = await commitsOfTurn();
  const lives = onceEach(commits);
  // Killed again while it recovers: the counts of the second process start at its own first commit.
  for (let commit = 2; commit <= commits; commit++)
    for (const [second, when] of [
      [1, "before"],
      [1, "after"],
      [2, "torn"],
      [3, "after"],
    ] as const)
      lives.push({
        kills: [
          { commit, when: commit % 2 === 0 ? "after" : "before" },
          { commit: second, when },
        ],
      });
  for (let n = 0; n < 20; n++) lives.push({ kills: [{ mid: n % 2 === 0 ? "short" : "long" }] });
  return { commits, lives, leastKills: 300, run: live };
}

async function connected(): Promise<Matrix> {
  const { commits, broken } = await connectedLife([]);
  if (broken.length > 0) throw new Error(`the undisturbed turn: ${broken.join("; ")}`);
  const lives = onceEach(commits);
  const run = ({ kills }: Life): Promise<Verdict> => connectedLife(kills.filter((kill) => "commit" in kill));
  return { commits, lives, leastKills: lives.length, run };
}

function onceEach(commits: number): Life[] {
  const lives: Life[] = [];
  for (let commit = 1; commit <= commits; commit++)
    for (const when of ["before", "torn", "after"] as const) lives.push({ kills: [{ commit, when }] });
  return lives;
}

function describe(kill: Kill): string {
  return "mid" in kill ? `during exec (${kill.mid})` : pointText(kill);
}
