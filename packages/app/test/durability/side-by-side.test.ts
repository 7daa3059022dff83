// R39: commands of one answer run at once in the built program, and a kill in the middle repeats none of them.
import { mkdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { runUntilCrash, says, startMockModel } from "@margay/core/testing";
import { callsTools, type RecordedRequest } from "@margay/core/internal/testing";
import { expect, onTestFinished, test } from "vitest";
import { margay, modelConfig } from "../cli/harness.ts";
import { PROGRAM } from "./killed-gateway.ts";

const NUMBERS = [1, 2, 3, 4];
/** Each ends when all have begun: one after the other they would wait for ever. */
const MEET = NUMBERS.map((n) => `[ -e began.${n} ]`).join(" && ");
const command = (n: number): string => `echo ran >> began.${n}; until ${MEET}; do sleep 0.05; done; echo "done ${n}"`;

for (const [name, at] of [
  ["as they are", undefined],
  ["killed behind their intents", { commit: 7, when: "after", file: "sessions" }],
  ["killed before the first outcome is written", { commit: 8, when: "before", file: "sessions" }],
] as const)
  test(`R39 R76 R93 four commands of one answer run at once, each of them once: ${name}`, async () => {
    const model = await startMockModel({ rules: "off" });
    onTestFinished(() => model.close());
    const results = ({ toolResults }: RecordedRequest): number => toolResults.length;
    model.route(
      () => true,
      ...Array.from(
        { length: 9 },
        () => (request: RecordedRequest) =>
          results(request) > 0
            ? says("met")
            : callsTools(NUMBERS.map((n) => ({ name: "exec", args: { command: command(n), timeout: 60 } }))),
      ),
    );
    const made = margay();
    const workspace = join(made.directory, "workspace");
    mkdirSync(workspace);
    // In the sandbox, as by default.
    const tools = { exec: { sandbox: "required" } };
    made.configure({
      ...modelConfig(model.url),
      workspace,
      tools,
      policy: { rules: [{ tool: "*", action: "allow" }] },
    });
    const run = {
      args: [PROGRAM, "agent", "-m", "go"],
      env: { MARGAY_HOME: made.home, HOME: made.directory, NO_COLOR: "1" },
    };
    const first = await runUntilCrash({ ...run, ...(at !== undefined && { at }) });
    expect(at === undefined ? first.code : first.signal, first.stderr).toBe(at === undefined ? 0 : "SIGKILL");
    const last = at === undefined ? first : await runUntilCrash({ ...run, args: [PROGRAM, "agent", "-m", "and now"] });
    expect(last, last.stderr).toMatchObject({ code: 0 });
    const told = model.requests.find((request) => results(request) > 0);
    expect(told?.toolResults.map(({ text }) => text)).toEqual(NUMBERS.map((n) => `done ${n}\nExit code: 0`));
    for (const n of NUMBERS) expect(readFileSync(join(workspace, `began.${n}`), "utf8")).toBe("ran\n");
  }, 120_000);
