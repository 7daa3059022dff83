// Every command of `--help`, alone and beside a gateway: the same output and the same exit code. The built program, two equal homes.
import { execFileSync } from "node:child_process";
import { says, startMockModel } from "@margay/core/testing";
import { expect, onTestFinished, test } from "vitest";
import { COMMANDS } from "../../src/features.ts";
import { margay, modelConfig, type Margay } from "../cli/harness.ts";
import { start, startGateway } from "../durability/running.ts";

/** About the gateway itself, whose answer is whether one runs. */
const OF_GATEWAY = [
  "gateway",
  "gateway start",
  "gateway status",
  "gateway stop",
  "gateway restart",
  "gateway install",
  "gateway uninstall",
  "gateway logs",
  "open",
];

/** In this order; `{name}` is what an earlier line said. */
const LINES: readonly string[] = [
  "",
  "agent -m ping",
  "agent -m ping --session cli:other --json",
  "onboard --yes",
  "gateway password",
  "token create --name script --scope read --json => token id",
  "token list",
  "token rotate {token}",
  "token revoke {token}",
  "token revoke {token}",
  "sessions list",
  "sessions show cli:direct",
  "sessions set cli:other --title Rome --folder Trips --json",
  "sessions search ping",
  "sessions export cli:direct",
  "sessions fork cli:direct cli:fork",
  "sessions import transcript.jsonl --key cli:copy",
  "sessions delete cli:fork --yes",
  "sessions delete cli:nothing --yes",
  "undo --list",
  "undo cli:direct --dry-run",
  "trust",
  "trust nothing.md --yes",
  "explain cli:direct",
  "quarantine",
  "quarantine show nothing",
  "quarantine restore nothing --yes",
  "quarantine delete nothing --yes",
  "import nothing",
  "models list",
  "models test",
  "models use mock/mock-model",
  "plugin list",
  "plugin add ./nothing",
  "plugin show nothing",
  "plugin approve nothing --yes",
  "plugin remove nothing",
  "mcp list",
  "mcp add demo no-such-program",
  "mcp list",
  "mcp test demo",
  "mcp approve demo",
  "mcp accept demo",
  "mcp login demo",
  "mcp remove demo",
  "channels list",
  "channels login nothing",
  "channels test nothing",
  "channels status",
  "channels waiting",
  "channels send nothing",
  "channels drop nothing",
  "channels pair 000000",
  "channels unpair telegram nobody",
  "people list",
  "people add eva",
  "people invite eva",
  "people remove eva",
  "people link owner webhook:42",
  "people unlink owner webhook:42",
  "people explain webhook:42",
  "memory show",
  "memory edit",
  "memory search ping",
  "memory log",
  "skills list",
  "skills show nothing",
  "skills validate nothing",
  "skills add ./nothing",
  "skills approve nothing --yes",
  "skills remove nothing --yes",
  "skills enable nothing",
  "skills disable nothing",
  "config show",
  "config get agent.maxTokens",
  "config set agent.maxTokens 4000",
  "config get agent.maxTokens",
  "config unset agent.maxTokens",
  "config set agent.nothing 1",
  "config check",
  "config path",
  "secrets set demo",
  "secrets list",
  "secrets remove demo",
  "secrets check",
  "secrets rotate",
  "status",
  "status --json",
  "doctor",
  "usage",
  "usage --by session --json",
  "cron list",
  "cron add --every 1h --message hello --name demo --json => job id",
  "cron list --json",
  "cron disable {job}",
  "cron enable {job}",
  "cron run {job}",
  "cron runs {job}",
  "cron remove {job}",
  "cron remove {job}",
  "cron resume",
  "approvals list",
  "approvals allow nothing",
  "approvals deny nothing",
  "approvals rules",
  "approvals forget nothing",
  "audit list --limit 3",
  "audit verify",
  "audit head",
  "audit renew",
  "backup sessions/inside --passphrase-file config.json",
  "backup list nothing-there --passphrase-file config.json",
  "backup check nothing-there --passphrase-file config.json",
  "backup prune nothing-there --passphrase-file config.json",
  "backup drill nothing-there --passphrase-file config.json",
  "move",
  "restore nothing-there --passphrase-file config.json --to restored",
  "stop --all",
  "resume --all",
  "completion bash",
  "completion man",
  "cron add --every never --message hello",
  "sessions list --lang zh-CN",
  "doctor --lang zh-CN",
];

/** What two runs of the same command may differ in: times, what was made at random, and, where that is the answer, whether a process runs. */
const OF_THE_RUN: readonly (readonly [RegExp, string])[] = [
  [/\d{4}-\d\d-\d\d[T ]\d\d:\d\d(?::\d\d(?:\.\d+)?)?(?:Z|[+-]\d\d:\d\d)?/g, "TIME"],
  [/\b1[67]\d{11}\b/g, "MILLIS"],
  [/\b[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f-]+\b/g, "UUID"],
  [/\b[0-9a-f]{12,64}\b/g, "HASH"],
  [/\b([a-z]+)-[0-9a-z]{16}\b/g, "$1-ID"],
  [/\bmgy_[\w-]+/g, "SECRET"],
  [/^[A-HJ-NP-Z2-9]{8}$/gm, "CODE"],
  [/\b\d+ (?:ms\b|毫秒)/g, "SOME ms"],
  [/"(\w+Ms|waited|bytes)":\d+/g, '"$1":SOME'],
  [/\b\d+ MB free|剩余 \d+ MB/g, "SPACE"],
  [/\b60\d{3}\b/g, "USER"],
  [
    /not running|running: process \d+|nothing is running|process \d+ is running|没有正在运行的进程|进程 \d+ 正在运行/g,
    "RUNS",
  ],
  [/"running":(?:true|false),"pid":(?:null|\d+)/g, '"running":RUNS'],
  [/^✓ .*(?:port \d+ is free|端口 \d+ 空闲)\n/gm, ""], // a gateway has it
  [/ {20,}\n/g, "\n"], // the head of a transcript is filled up with blanks
];

/** Their words are about the process that runs, or does not. */
const ITS_WORDS = ["stop --all"];

function plain(text: string, app: Margay): string {
  return OF_THE_RUN.reduce(
    (said, [pattern, to]) => said.replaceAll(pattern, to),
    text.replaceAll(app.home, "HOME").replaceAll(app.directory, "DIRECTORY"),
  );
}

interface Ran {
  readonly line: string;
  readonly code: number | NodeJS.Signals | null;
  readonly out: string;
  readonly err: string;
}

async function runAll(app: Margay): Promise<readonly Ran[]> {
  const said = new Map<string, string>();
  const results: Ran[] = [];
  for (const one of LINES) {
    const [typed = "", keep] = one.split(" => ");
    const line = typed.replaceAll(/\{(\w+)\}/g, (_, name: string) => said.get(name) ?? "missing");
    const ran = start(app, {}, ...line.split(" ").filter((word) => word !== ""));
    const code = await ran.ended;
    const [name = "", field = ""] = keep?.split(" ") ?? [];
    if (keep !== undefined) said.set(name, String((JSON.parse(ran.out()) as Record<string, unknown>)[field]));
    const [out, err] = [ran.out(), ran.err()].map((text) => (ITS_WORDS.includes(line) ? "" : plain(text, app)));
    results.push({ line: one, code, out: out ?? "", err: err ?? "" });
  }
  return results;
}

/** Line by line: of two long outputs only what differs is worth reading. */
function differences(alone: Ran, beside: Ran | undefined): readonly string[] {
  const lines = ({ code, out, err }: Ran): readonly string[] => [
    `exit code ${code}`,
    ...out.split("\n"),
    ...err.split("\n"),
  ];
  const [a, b] = [lines(alone), beside === undefined ? [] : lines(beside)];
  return [
    ...a.filter((line) => !b.includes(line)).map((line) => `${alone.line}, alone: ${line}`),
    ...b.filter((line) => !a.includes(line)).map((line) => `${alone.line}, beside a gateway: ${line}`),
  ];
}

test("every command of --help is in the table", () => {
  const table = [...OF_GATEWAY, ...LINES];
  const missing = COMMANDS.filter(({ load, name }) => load !== undefined && name !== "")
    .map(({ name }) => name)
    .filter((name) => !table.some((line) => line === name || line.startsWith(`${name} `)));
  expect(missing).toEqual([]);
});

test("every command says the same with the same exit code, alone and beside a gateway", async () => {
  const model = await startMockModel({ rules: "off" });
  onTestFinished(() => model.close());
  model.replies(...Array.from({ length: 40 }, () => says("pong")));
  const first = margay();
  const second = margay();
  for (const app of [first, second]) app.configure({ ...modelConfig(model.url), tools: {} });
  expect(await start(first, {}, "agent", "-m", "ping").ended).toBe(0);
  execFileSync("cp", ["-a", `${first.home}/.`, second.home]);
  const alone = await runAll(first);
  const gateway = await startGateway(second);
  const beside = await runAll(second);
  gateway.kill("SIGTERM");
  await gateway.ended;
  expect(alone.flatMap((one, at) => differences(one, beside[at]))).toEqual([]);
}, 300_000);
