// Who ends margay, and what becomes of the turn: a person's Ctrl-C ends it for good, everything else leaves it to the next start.
import { existsSync } from "node:fs";
import { join } from "node:path";
import { says, startMockModel, type MockModel } from "@margay/core/testing";
import { stalls } from "@margay/core/internal/testing";
import { expect, onTestFinished, test } from "vitest";
import { margay, modelConfig, type Margay } from "../cli/harness.ts";
import { start, startGateway } from "./running.ts";

async function home(): Promise<{ readonly made: Margay; readonly model: MockModel }> {
  const model = await startMockModel({ rules: "off" });
  onTestFinished(() => model.close());
  const made = margay();
  made.configure({ ...modelConfig(model.url), heartbeat: { enabled: false }, gateway: { port: 0 } });
  return { made, model };
}

/** Two signals at once may be one: they come until nobody is there any more. */
async function hangUpUntilGone(running: ReturnType<typeof start>): Promise<void> {
  let isGone = false;
  void running.ended.then(() => (isGone = true));
  while (!isGone) {
    running.kill("SIGHUP");
    await new Promise<void>((resolve) => void setImmediate(resolve));
  }
}

test(
  "DF25 the turn that SIGINT cut in agent -m is ended in the journal and never bought again",
  { timeout: 240_000 },
  async () => {
    const { made, model } = await home();
    const stuck = stalls();
    model.replies(stuck);
    const asked = start(made, {}, "agent", "-m", "the first question");
    await model.received(1);
    asked.kill("SIGINT");
    expect(await asked.ended).toBe(130);
    expect(asked.err()).toContain("What was begun ends here");
    stuck.release();
    model.replies(says("to the second"));
    const next = start(made, {}, "agent", "-m", "the second question");
    expect(await next.ended).toBe(0);
    expect(next.out()).toBe("to the second\n");
    expect(model.requests).toHaveLength(2);
    expect(model.requests[1]?.raw).toContain("the second question");
  },
);

test(
  "DF26 a terminal that closes is a clean end: the lock is released, and no schedule is held",
  { timeout: 240_000 },
  async () => {
    const { made, model } = await home();
    model.replies(stalls(), stalls(), stalls(), says("what was asked"));
    for (let closed = 1; closed <= 3; closed++) {
      const asked = start(made, {}, "agent", "-m", "a question");
      await model.received(closed);
      asked.kill("SIGHUP"); // the terminal
      if (closed === 3) await hangUpUntilGone(asked); // and its parent, and whoever else
      // By the signal: the last of them came when all was done.
      expect(closed === 3 ? [130, "SIGHUP"] : [130]).toContain(await asked.ended);
      expect(existsSync(join(made.home, "lock"))).toBe(false);
    }
    const running = await startGateway(made);
    running.kill("SIGHUP");
    expect(await running.ended).toBe(0);
    expect(existsSync(join(made.home, "lock"))).toBe(false);
    expect(existsSync(join(made.home, "unclean-starts.json"))).toBe(false);
  },
);
