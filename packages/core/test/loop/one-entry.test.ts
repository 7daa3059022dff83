// Whichever way a call comes to a tool, it passes the same place.
import { expect, test } from "vitest";
import type { JsonObject } from "../../src/contract/base.ts";
import type { Tool } from "../../src/contract/tool.ts";
import { openAudit, type Audit } from "../../src/audit/audit.ts";
import { spawnTool } from "../../src/subagents/spawn-tool.ts";
import { openSessions } from "../../src/index.ts";
import { openJournalDirectory } from "../../src/internal.ts";
import { createPolicy } from "../../src/policy/policy.ts";
import { callsTool, fakeClock, says } from "../../src/testing.ts";
import { type RecordedRequest } from "../../src/internal-testing.ts";
import { defineTool } from "../../src/tools/define.ts";
import { createRegistry } from "../../src/tools/registry.ts";
import { CHAT as CHAT_OF_JOBS, startCron, type WithCron } from "../schedule/support.ts";
import { CHAT } from "../support/agent.ts";
import { temporaryFolder } from "../support/folder.ts";
import { realChildren } from "../support/real-context.ts";

const isChild = (request: RecordedRequest): boolean => request.system.includes("You are a subagent");

interface House extends WithCron {
  readonly audit: Audit;
  /** Resolves when the tool hangs. */
  readonly hangs: Promise<void>;
  readonly ran: readonly unknown[];
}

/** An agent with children, jobs and an audit log; all of them have one tool. */
async function house(t: Parameters<typeof startCron>[0]): Promise<House> {
  const folder = await temporaryFolder();
  t.onTestFinished(async () => folder[Symbol.asyncDispose]());
  const clock = fakeClock();
  const audit = openAudit({ directory: folder.at("audit"), clock, redact: (text) => text });
  const sessions = openSessions({ journals: openJournalDirectory(folder.at("sessions")), clock, observers: [audit] });
  const hanging = Promise.withResolvers<void>();
  const ran: unknown[] = [];
  const probe: Tool = defineTool<{ readonly n: number }>({
    name: "probe",
    description: "The tool of this test.",
    input: { type: "object", properties: { n: { type: "integer" } }, required: ["n"] },
    effect: "write",
    execute: ({ n }) => {
      ran.push(n);
      if (n !== 2) return Promise.resolve("x".repeat(50_000));
      hanging.resolve();
      return new Promise(() => {});
    },
  });
  const tools = createRegistry([probe]);
  const held: { agent?: WithCron["agent"] } = {};
  const made = await startCron(t, {
    settings: { maxResultChars: 1000, toolTimeoutMs: 60_000 },
    agent: {
      sessions,
      policy: createPolicy({
        approvalTimeoutMs: () => 1000,
        sandboxed: () => true,
        rules: [
          { tool: "probe", action: "deny", match: '"n":1' },
          { tool: "*", action: "allow" },
        ],
      }),
      tools: [probe, spawnTool((request) => held.agent!.spawn(request))], // called in a turn: the agent exists by then
      subagents: realChildren(tools),
    },
  });
  held.agent = made.agent;
  return { ...made, audit, ran, hangs: hanging.promise };
}

type Entry = (house: House, args: JsonObject) => Promise<string | undefined>;
const ENTRIES: Readonly<Record<string, Entry>> = {
  turn: async ({ agent, model }, args) => {
    model.replies(callsTool("probe", args), says("done"));
    await agent.send(CHAT, "go").finished;
    return model.requests.at(-1)?.toolResults.at(-1)?.text;
  },
  subagent: async ({ agent, model }, args) => {
    model.route(isChild, callsTool("probe", args), says("done"));
    model.replies(callsTool("spawn", { task: "go", wait: true }), says("done"));
    await agent.send(CHAT, "go").finished;
    return model.requests.findLast(isChild)?.toolResults.at(-1)?.text;
  },
  job: async ({ cron, model }, args) => {
    model.replies(callsTool("probe", args), says("done"));
    const { id } = await cron.add({ message: "go", every_seconds: 86_400, to: CHAT_OF_JOBS });
    await cron.runNow(id, AbortSignal.timeout(10_000));
    return model.requests.at(-1)?.toolResults.at(-1)?.text;
  },
  host: ({ agent }, args) => agent.executeTool("probe", args),
};

const CASES = [
  ["arguments are checked", { n: "one" }, /^Parameter error: .*n/, "error"],
  ["the policy is asked", { n: 1 }, /^Denied: /, "denied"],
  ["a deadline ends it", { n: 2 }, /^Error: probe timed out after 60 seconds\. Next: /, "error"],
  [
    "its result is bounded",
    { n: 3 },
    /^x{300,500}\n… \d+ characters left out …\nx+\n\[50000 characters in all\./,
    "ok",
  ],
] as const;

for (const [name, enter] of Object.entries(ENTRIES))
  for (const [what, args, said, status] of CASES)
    test(`TL1 a call by ${name}: ${what}, and the audit log has it`, async (t) => {
      const started = await house(t);
      started.go();
      const answer = enter(started, args);
      if (args.n === 2) {
        await started.hangs;
        await started.clock.advance(60_000);
      }
      expect(await answer).toMatch(said);
      await started.agent.idle();
      expect(started.ran).toEqual(args.n === 2 || args.n === 3 ? [args.n] : []);
      await started.audit.flush();
      const calls = (await started.audit.list({ kind: "call", tool: "probe" })).map(
        (entry) => "status" in entry && entry.status,
      );
      expect(calls).toEqual([status]);
    });
