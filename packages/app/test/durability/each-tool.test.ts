// R93: each built-in tool that changes something, killed between its intent and its outcome, does it once.
import { existsSync, mkdirSync, readFileSync, readdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { callsTool, runUntilCrash, says, startMockModel } from "@margay/core/testing";
import { type RecordedRequest } from "@margay/core/internal/testing";
import { expect, onTestFinished, test } from "vitest";
import { margay, modelConfig } from "../cli/harness.ts";
import { PROGRAM } from "./killed-gateway.ts";

interface Place {
  readonly home: string;
  readonly workspace: string;
}
const at = (workspace: string, name: string): string => {
  const path = join(workspace, name);
  return existsSync(path) ? readFileSync(path, "utf8") : "";
};
/** What a journal of the state directory holds so often. */
const inJournals = ({ home }: Place, folder: string, text: RegExp): number =>
  readdirSync(join(home, folder))
    .filter((name) => name.endsWith(".journal"))
    .reduce((sum, name) => sum + (readFileSync(join(home, folder, name), "utf8").match(text)?.length ?? 0), 0);

/** Arguments, and how often its effect is there. `write`: at most once, and the model is told what nobody knows. */
const TOOLS: Readonly<Record<string, readonly [args: object, times: (place: Place) => number]>> = {
  write_file: [{ path: "new.txt", content: "new\n" }, ({ workspace }) => Number(at(workspace, "new.txt") === "new\n")],
  remember: [
    { text: "Ada drinks tea" },
    ({ workspace }) => at(workspace, "memory/MEMORY.md").match(/drinks tea/g)?.length ?? 0,
  ],
  cron: [
    { action: "add", message: "water the plants", every_seconds: 86_400 },
    (place) => inJournals(place, "cron", /"type":"job.added"/g),
  ],
  message: [{ content: "the build is green" }, (place) => inJournals(place, "sessions", /"kind":"message"/g)],
  spawn: [
    { task: "count them" },
    ({ home }) => readdirSync(join(home, "sessions")).filter((name) => /subagent.*\.journal$/.test(name)).length,
  ],
  edit_file: [
    { path: "old.txt", old_text: "one\n", new_text: "one\nmore\n" },
    ({ workspace }) => at(workspace, "old.txt").match(/more/g)?.length ?? 0,
  ],
  exec: [{ command: "echo ran >> ran.txt" }, ({ workspace }) => at(workspace, "ran.txt").match(/ran/g)?.length ?? 0],
};

// Lines of the journal in this turn: 1 opened, 2 received, 3 started, 4 requested, 5 responded, 6 judged, 7 intent, 8 outcome.
const hasResult = ({ toolResults }: RecordedRequest): boolean => toolResults.length > 0;

for (const [name, [args, times]] of Object.entries(TOOLS))
  test.each([
    ["behind its intent", 7, "after"],
    ["before its outcome is written", 8, "before"],
  ] as const)(`R93 R76 ${name}, killed %s, is there once`, async (_, commit, when) => {
    const model = await startMockModel({ rules: "off" });
    onTestFinished(() => model.close());
    const isChild = ({ system }: RecordedRequest): boolean => system.includes("You are a subagent");
    model.route(isChild, ...Array.from({ length: 9 }, () => says("three")));
    model.route(
      (request) => !isChild(request),
      ...Array.from(
        { length: 9 },
        () => (request: RecordedRequest) => (hasResult(request) ? says("done") : callsTool(name, args)),
      ),
    );
    const made = margay();
    const workspace = join(made.directory, "workspace");
    mkdirSync(workspace);
    writeFileSync(join(workspace, "old.txt"), "one\n");
    made.configure({ ...modelConfig(model.url), workspace, policy: { rules: [{ tool: "*", action: "allow" }] } });
    const run = {
      args: [PROGRAM, "agent", "-m", "go"],
      env: { MARGAY_HOME: made.home, HOME: made.directory, NO_COLOR: "1" },
    };
    const killed = await runUntilCrash({ ...run, at: { commit, when, file: "sessions" } });
    expect(killed.signal, killed.stderr).toBe("SIGKILL");
    const place = { home: made.home, workspace };
    const second = await runUntilCrash({ ...run, args: [...run.args.slice(0, -1), "and now"] });
    expect(second, second.stderr).toMatchObject({ code: 0 });
    const count = times(place);
    const told = model.requests.flatMap(({ toolResults }) => toolResults.map(({ text }) => text)).join("\n");
    const isUnknown = /may or may not have taken effect/i.test(told);
    expect([name, count === 1 || (count === 0 && isUnknown)]).toEqual([name, true]);
  });
