import { mkdir, readdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, test } from "vitest";
import { startAgent } from "../support/agent.ts";

test("R98 FS10 what a killed process left of unfinished writes is gone before the agent takes its first message", async (t) => {
  const { agent, workspace, log } = await startAgent(t);
  const shelf = join(workspace, ".margay/tmp");
  await mkdir(shelf, { recursive: true });
  await writeFile(join(shelf, ".0011.tmp"), "half");
  const stop = new AbortController();
  stop.abort();
  await agent.run(stop.signal);
  expect(await readdir(shelf)).toEqual([]);
  expect(log.lines).toEqual([]);
});
