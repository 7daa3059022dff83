// What provably did not start is not reported as possibly done.
import { readFileSync, readdirSync, rmSync } from "node:fs";
import { join } from "node:path";
import { callsTool, runUntilCrash, says, startMockModel } from "@margay/core/testing";
import { expect, onTestFinished, test } from "vitest";
import { margay, modelConfig } from "../cli/harness.ts";
import { PROGRAM } from "./killed-gateway.ts";

test(
  "DF15 R424 a command that a kill kept from starting is judged anew and runs, once",
  { timeout: 240_000 },
  async () => {
    const model = await startMockModel({ rules: "off" });
    onTestFinished(() => model.close());
    const made = margay();
    const rules = (action: string): object => ({
      ...modelConfig(model.url),
      policy: { rules: [{ tool: "exec", action }] },
    });
    const ask = (at?: number) =>
      runUntilCrash({
        args: [PROGRAM, "agent", "-m", "count"],
        env: { MARGAY_HOME: made.home, HOME: made.directory },
        ...(at !== undefined && { at: { when: "after", commit: at, file: "sessions" } }),
      });
    const sessions = join(made.home, "sessions");
    const startedAt = (): number => {
      const journal = readdirSync(sessions).find((name) => name.endsWith(".journal")) ?? "";
      const lines = readFileSync(join(sessions, journal), "utf8").split("\n");
      return 1 + lines.findIndex((line) => line.includes('"type":"tool.started"'));
    };
    const forget = (): void =>
      ["sessions", "exec"].forEach((name) => rmSync(join(made.home, name), { recursive: true }));
    const count = callsTool("exec", { command: "echo run >> count" });
    const lastResult = (): string | undefined =>
      model.requests.findLast(({ toolResults }) => toolResults.length > 0)?.toolResults.at(-1)?.text;
    const counted = (): string => readFileSync(join(made.home, "workspace/count"), "utf8");

    made.configure(rules("allow"));
    model.replies(count, says("counted"));
    expect((await ask()).code).toBe(0);
    expect(counted()).toBe("run\n");
    const intent = startedAt();
    expect(intent).toBeGreaterThan(0);
    forget();

    model.replies(count);
    expect((await ask(intent)).signal).toBe("SIGKILL");
    expect(counted()).toBe("run\n");
    model.replies(says("counted again"), says("and that"));
    const resumed = await ask();
    expect(resumed.stdout).toContain("counted again");
    expect(counted()).toBe("run\nrun\n");
    expect(lastResult()).toBe("Exit code: 0");

    forget();
    model.replies(count);
    expect((await ask(intent)).signal).toBe("SIGKILL");
    made.configure(rules("deny"));
    model.replies(says("it was denied"), says("and that"));
    expect((await ask()).stdout).toContain("it was denied");
    expect(counted()).toBe("run\nrun\n");
    expect(lastResult()).toMatch(/^Denied/);
  },
);
