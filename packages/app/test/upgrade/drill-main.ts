/** `npm run upgrade-drill`: what `HELP` says. */
import { existsSync } from "node:fs";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { buildCheckout, builtCheckout } from "./checkout.ts";
import { upgradeDrill, type DrillReport, type Lived } from "./drill.ts";
import { PHASES } from "./moments.ts";
import { releaseBefore } from "./releases.ts";

const HELP = `npm run upgrade-drill [-- --before REF --kills N --seed N --built FOLDER --json]

A home of the release before goes through this build and back. It is made with that release by real use against a mock
model; then this build goes on with copies of it and is killed with SIGKILL while it starts, recovers, raises journals and
takes its first turns, is started again until it rests, and compared with one that was not killed. Then the way back of
docs/install.md, with that release, and up again.

  --before REF    the release before: a tag or commit (default: the newest tag v*, else the last of
                  packages/app/test/upgrade/releases.ts), built in a worktree in a temporary folder
  --built FOLDER  a checkout that is built already, in place of that
  --kills N       moments, 50 unless told
  --seed N        which moments, 1 unless told
  --json          the report as JSON on stdout

Exit code 1 when a promise broke.
`;

const { values } = parseArgs({
  options: {
    before: { type: "string" },
    built: { type: "string" },
    kills: { type: "string", default: "50" },
    seed: { type: "string", default: "1" },
    json: { type: "boolean", default: false },
    help: { type: "boolean", default: false },
  },
});
const say = (line: string): void => void process.stderr.write(`${line}\n`);
if (values.help) process.stdout.write(HELP);
else process.exitCode = await main();

async function main(): Promise<number> {
  const startedAt = performance.now();
  const ref = values.before ?? releaseBefore();
  say(values.built === undefined ? `building the release before, ${ref} (some minutes) …` : `with ${values.built}`);
  await using checkout =
    values.built === undefined
      ? await buildCheckout(ref, (text) => void process.stderr.write(text))
      : builtCheckout(values.built);
  const report = await upgradeDrill({
    before: {
      program: checkout.program,
      people: existsSync(join(checkout.root, "packages/app/src/config/keys/people.ts")),
    },
    kills: Number(values.kills),
    seed: Number(values.seed),
    log: say,
  });
  const seconds = Math.round((performance.now() - startedAt) / 1000);
  process.stdout.write(
    values.json
      ? `${JSON.stringify({ before: checkout.name, seconds, ...report }, null, 2)}\n`
      : tableOf(checkout.name, seconds, report),
  );
  return report.broken.length > 0 || report.lives.length < Number(values.kills) ? 1 : 0;
}

function tableOf(before: string, seconds: number, report: DrillReport): string {
  const { conversations, raised, course, lives, back, broken } = report;
  const rows = [...PHASES, "all" as const].map((phase) => {
    const own = lives.filter((life) => phase === "all" || life.phase === phase);
    return [
      phase,
      own.length,
      sum(own, "kills"),
      own.filter(({ reached }) => !reached).length,
      rests(own),
      failed(own),
    ];
  });
  const head = ["killed in", "moments", "kills", "not reached", "rests after, median and most", "broken"];
  const lines = [head, ...rows].map((cells) => `| ${cells.join(" | ")} |`);
  return [
    `From ${before}: ${conversations} conversations, ${raised} raised, ${course.commits} commits until it rests, ${course.recovery} of them recovery.`,
    "",
    lines[0],
    `|${" --- |".repeat(head.length)}`,
    ...lines.slice(1),
    "",
    `Way back: the release before answered in ${back.answered} conversations and refused ${back.refused} by name, ${back.restored} of these went on from their copies; up again ${back.again} were answered.`,
    `${broken.length} broken promises in ${seconds} s`,
    ...broken.map((each) => `  ${each}`),
    "",
  ].join("\n");
}

function sum(lives: readonly Lived[], key: "kills"): number {
  return lives.reduce((all, life) => all + life[key], 0);
}

function failed(lives: readonly Lived[]): number {
  return lives.filter((life) => life.broken.length > 0).length;
}

function rests(lives: readonly Lived[]): string {
  const times = lives.map(({ restMs }) => restMs).toSorted((one, other) => one - other);
  const text = (ms = 0): string => `${(ms / 1000).toFixed(1)} s`;
  return `${text(times[times.length >> 1])}, ${text(times.at(-1))}`;
}
