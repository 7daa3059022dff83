/** `npm run kills`: the whole matrix, at least 300 kills. Prints what it did; exit code 1 when a promise broke. */
import { commitsOfTurn, live, type Kill, type Life } from "./kill-matrix.ts";

const startedAt = performance.now();
const commits = await commitsOfTurn();
const lives: Life[] = [];
for (let commit = 1; commit <= commits; commit++)
  for (const when of ["before", "torn", "after"] as const) lives.push({ kills: [{ commit, when }] });
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

let killed = 0;
let failed = 0;
const workers = Array.from({ length: 2 }, async () => {
  for (let next = lives.shift(); next !== undefined; next = lives.shift()) {
    const verdict = await live(next);
    killed += verdict.killed;
    if (verdict.broken.length === 0) continue;
    failed++;
    process.stdout.write(`${describe(next.kills)}: ${verdict.broken.join("; ")}\n`);
  }
});
await Promise.all(workers);
process.stdout.write(
  `${commits} commits a turn, ${killed} kills in ${Math.round((performance.now() - startedAt) / 1000)} s, ${failed} broken promises\n`,
);
if (failed > 0 || killed < 300) process.exitCode = 1;

function describe(kills: readonly Kill[]): string {
  return kills
    .map((kill) => ("mid" in kill ? `during exec (${kill.mid})` : `${kill.when} commit ${kill.commit}`))
    .join(", then ");
}
