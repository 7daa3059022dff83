/** PL2 over the built program: how long the turns of others take while plugins do what they must not. */
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { silentLog, startPlugin, systemClock } from "@margay/core/internal";
import { callsTool, says, startMockModel } from "@margay/core/testing";
import { expect, onTestFinished, test } from "vitest";
import { margay, modelConfig } from "../cli/harness.ts";
import { startGateway } from "../durability/running.ts";
import { approved, oneTool } from "./plugin-home.ts";

/** What each does until it is ended, or has given what nobody takes. */
const FAULTS = {
  hangs: ["for (;;);", "timeoutMs: 2000,"],
  floods: [
    "for (;;) { for (let n = 0; n < 5000; n++) call.progress('x'.repeat(400)); await new Promise((on) => setTimeout(on)); }",
    "",
  ],
  giant: ["return 'x'.repeat(100 * 1024 * 1024)", ""],
  leaks: [
    "for (let n = 0; n < 200; n++) { setInterval(() => {}, 20); call.fetch('http://example.com/' + n).catch(() => {}); } return 'here'",
    "",
  ],
} as const;
/** What stands beside the turns that they are compared with: as many calls, of a plugin that does as it should. */
const GOOD = ["return 'here'", ""] as const;
/** Of each, so that none has failed so often that it is suspended. */
const COPIES = 8;
/** Turns of others beside good plugins, beside them again, and beside the faults: in blocks that alternate. */
const TURNS = 100;
/** One must be within; one of a hundred turns is what a noisy machine gives by itself, so that all are looked at together too. */
const ROUNDS = 6;

test("PL2 turns of others take within a fifth as long, to the 99th of a hundred, while plugins hang, flood, give 100 MB and leak", async () => {
  const model = await startMockModel({ rules: "off" });
  onTestFinished(() => model.close());
  model.route(
    ({ raw }) => raw.includes("bad turn"),
    ...Array.from({ length: 5000 }, () => ({ raw }: { readonly raw: string }) => {
      const name = /bad turn (\w+-\d+)/.exec(raw)?.[1] ?? "";
      return raw.includes('"role":"tool"') ? says("done") : callsTool(`plugin_${name}_run`, {});
    }),
  );
  const made = margay();
  const limits = { requestsPerMinute: 1e6, sendsPerMinute: 1e6 };
  made.configure({ ...modelConfig(model.url), heartbeat: { enabled: false }, gateway: { port: 0, limits } });
  const plugins = Object.entries({ ...FAULTS, good: GOOD }).flatMap(([name, [body, more]]) =>
    Array.from({ length: COPIES }, (_, index) => ({
      name: `${name}-${index}`,
      manifest: { hosts: ["example.org"] },
      code: oneTool(`${name}-${index}`, body, more),
    })),
  );
  await (
    await approved(...plugins)
  )(made);
  const { pid } = await startGateway(made);
  // Others use this machine too: the time in which a processor was missing is theirs. How plugins stand behind margay there is below.
  const queued = (): number => waitingMs(pid) + waitingMs(process.pid);
  const { url, token } = JSON.parse(readFileSync(join(made.home, "gateway.json"), "utf8")) as Record<string, string>;
  let asked = 0;
  const ask = async (text: string): Promise<number> => {
    const [startedAt, waited] = [performance.now(), queued()];
    const response = await fetch(`${url}/v1/chat/completions`, {
      method: "POST",
      headers: { authorization: `Bearer ${token}`, "content-type": "application/json" },
      body: JSON.stringify({ model: "margay", messages: [{ role: "user", content: `${text} ${++asked}` }] }),
    });
    expect([response.status, await response.text()]).toEqual([200, expect.any(String)]);
    return performance.now() - startedAt - (queued() - waited);
  };
  let blocks = 0;
  /** Four calls, and turns of others beside them. */
  const block = async (into: number[], names: readonly string[]): Promise<void> => {
    const copy = Math.floor(blocks++ / 3) % COPIES;
    const calls = Promise.all(names.map((name) => ask(`bad turn ${name}-${copy}`)));
    for (let turn = 0; turn < TURNS; turn++) into.push(await ask("hello"));
    await calls;
  };
  const good = Object.keys(FAULTS).map(() => "good");
  for (let warm = 0; warm < TURNS; warm++) await ask("hello");
  const seen: object[] = [];
  const all: Turns = [[], [], []];
  for (let round = 0; round < ROUNDS; round++) {
    const turns: Turns = [[], [], []];
    await block(turns[0], good);
    await block(turns[2], Object.keys(FAULTS));
    await block(turns[1], good);
    for (const [index, times] of turns.entries()) all[index]?.push(...times);
    seen.push(turns.map(figures));
    if (isWithin(turns) || isWithin(all)) return;
  }
  expect.fail(JSON.stringify(seen));
}, 600_000);

/** Milliseconds of turns beside good plugins, beside them again, and beside the faults. */
type Turns = [number[], number[], number[]];

interface Figures {
  readonly median: number;
  readonly p99: number;
}

/** What the machine does to a turn by itself is seen in the two that are alike. */
function isWithin(turns: Turns): boolean {
  const [one, two, busy] = turns.map(figures) as [Figures, Figures, Figures];
  return (["median", "p99"] as const).every((key) => busy[key] <= 1.2 * Math.max(one[key], two[key]));
}

function figures(values: readonly number[]): Figures {
  const sorted = values.toSorted((a, b) => a - b);
  const at = (part: number): number =>
    Math.round(10 * (sorted[Math.ceil(part * sorted.length) - 1] ?? Number.NaN)) / 10;
  return { median: at(0.5), p99: at(0.99) };
}

/** What the main thread of a process has waited for a processor so far. */
function waitingMs(pid: number): number {
  return Number(readFileSync(`/proc/${pid}/task/${pid}/schedstat`, "utf8").split(" ")[1]) / 1e6;
}

test("PL2 the process of a plugin stands behind margay where processors are short, also as a group of its own", async () => {
  const code = oneTool("plain", "return 'here'");
  using plugin = await startPlugin({ name: "plain", code }, { clock: systemClock(), log: silentLog, ended: () => {} });
  expect(plugin.offer["name"]).toBe("plain");
  const below = (id: number | string): readonly string[] =>
    readFileSync(`/proc/${id}/task/${id}/children`, "utf8").trim().split(" ");
  const keepers = below(process.pid).filter((id) =>
    readFileSync(`/proc/${id}/cmdline`, "utf8").includes("read -r end"),
  );
  const nodes = keepers.flatMap(below);
  expect(nodes).toHaveLength(1);
  for (const id of nodes) {
    const stat = readFileSync(`/proc/${id}/stat`, "utf8");
    expect(stat.slice(stat.lastIndexOf(")") + 2).split(" ")[16]).toBe("10");
  }
  // Of a kernel that groups processes by session: then a group has a weight of its own.
  const groups = nodes.map((id) => `/proc/${id}/autogroup`).filter((path) => existsSync(path));
  for (const group of groups) expect(readFileSync(group, "utf8")).toMatch(/nice 10$/m);
});
