import { existsSync, mkdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { callsTool, says, startMockModel, type MockModel } from "@margay/core/testing";
import { expect, onTestFinished, test } from "vitest";
import { margay, modelConfig, type Margay } from "./cli/harness.ts";

interface Assistant extends Margay {
  readonly model: MockModel;
  readonly workspace: string;
}

async function assistant(exec: object): Promise<Assistant> {
  const model = await startMockModel();
  onTestFinished(() => model.close());
  const made = margay();
  const workspace = join(made.directory, "workspace");
  mkdirSync(workspace, { recursive: true });
  made.configure({ ...modelConfig(model.url), workspace, tools: { exec } });
  return { ...made, model, workspace };
}

const COMMAND = { command: "id -u; echo made > made; cat ~/.margay/config.json ../*/config.json; echo end" };

test("R108 R278 EX11 by default a command runs unasked, in a sandbox, where nobody attends too", async () => {
  const { model, run, workspace } = await assistant({});
  model.replies(callsTool("exec", COMMAND), says("done"));
  expect((await run(["agent", "-m", "make it"])).out).toContain("done");
  expect(readFileSync(join(workspace, "made"), "utf8")).toBe("made\n");
  const result = model.requests.at(-1)?.texts("tool").join("\n") ?? "";
  expect(result).toContain("end");
  expect(result).not.toContain("test-key-for-mock");
  // Never root's.
  expect(result).toMatch(/^[1-9]\d*$/m);
});

test("R362 without a sandbox by choice every command asks, and where nobody can answer none runs", async () => {
  const { model, run, workspace } = await assistant({ sandbox: "none" });
  model.replies(callsTool("exec", COMMAND), says("not done"));
  expect((await run(["agent", "-m", "make it"])).out).toContain("not done");
  expect(existsSync(join(workspace, "made"))).toBe(false);
});

test("R108 a sandbox that is required and missing refuses, with the step that helps", async () => {
  const { model, run, workspace } = await assistant({ sandbox: "srt" });
  model.replies(callsTool("exec", COMMAND), says("not done"));
  expect((await run(["agent", "-m", "make it"])).out).toContain("not done");
  expect(existsSync(join(workspace, "made"))).toBe(false);
  expect(model.requests.at(-1)?.texts("tool").join("\n")).toMatch(
    /^Error: tools\.exec\.sandbox is srt.*Next: run `npm install -g/m,
  );
});
