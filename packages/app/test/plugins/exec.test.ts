/** Commands of plugins, and what a yes of the owner to one of their tools is bound to. */
import { existsSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { callsTool, says, startMockModel } from "@margay/core/testing";
import { expect, onTestFinished, test } from "vitest";
import { margay, modelConfig } from "../cli/harness.ts";
import { startGateway, type TestGateway } from "../gateway/support.ts";
import { approved, oneTool } from "./plugin-home.ts";

const RUNS =
  "try { const { text, isError } = await call.exec(input.text); return isError + ' ' + text }" +
  " catch (error) { return 'refused: ' + error.message }";
const PLUGINS = [
  { name: "runs", manifest: { exec: true }, code: oneTool("runs", RUNS) },
  { name: "none", code: oneTool("none", RUNS) },
];

async function withSandbox(sandbox: "required" | "none"): Promise<(tool: string, text: string) => Promise<string>> {
  const gateway: TestGateway = await startGateway(
    { onTestFinished },
    {
      config: { tools: { exec: { sandbox } }, policy: { rules: [{ tool: "plugin_*", action: "allow" }] } },
      env: { SECRET_OF_MINE: "secret-of-mine-1" },
      prepare: await approved(...PLUGINS),
    },
  );
  writeFileSync(join(gateway.workspace, "note.txt"), "the note\n");
  let chats = 0;
  return async (tool, text) => {
    gateway.model.replies(callsTool(tool, { text: text.replaceAll("HOME", gateway.home) }), says("done"));
    const chat = String(++chats);
    await gateway.app.agent.send(`web:${chat}`, "go", { origin: { channel: "web", chat } }).finished;
    const { messages = [] } = (gateway.model.requests.at(-1)?.body ?? {}) as {
      messages?: readonly { readonly role: string; readonly content: string }[];
    };
    return messages.findLast(({ role }) => role === "tool")?.content ?? "";
  };
}

test("PL3 a command of a plugin runs in the sandbox: in the workspace, without margay's files, secrets and network", async () => {
  const ask = await withSandbox("required");
  expect(await ask("plugin_runs_run", "cat note.txt; echo made > made.txt; cat made.txt")).toContain(
    "false the note\nmade",
  );
  expect(await ask("plugin_runs_run", "cat HOME/config.json")).not.toContain("apiKey");
  expect(await ask("plugin_runs_run", "env")).not.toContain("secret-of-mine-1");
  expect(await ask("plugin_runs_run", "exit 3")).toMatch(/true [\s\S]*Exit code: 3/);
  expect(await ask("plugin_none_run", "echo hi")).toContain("refused: plugin.json of none does not ask for commands");
});

test("PL3 without a sandbox there are no commands for plugins", async () => {
  const ask = await withSandbox("none");
  expect(await ask("plugin_runs_run", "echo hi")).toContain(
    "commands of plugins run in the sandbox, and there is none here",
  );
});

test("PL1 a yes for always holds for the files that it was said to: other files ask anew", async () => {
  const model = await startMockModel({ rules: "off" });
  onTestFinished(() => model.close());
  const app = margay();
  app.configure({ ...modelConfig(model.url), heartbeat: { enabled: false } });
  const plugin = (text: string) => ({
    name: "sends",
    manifest: { hosts: ["example.com"] },
    code: oneTool("sends", `return ${JSON.stringify(text)}`).replace('"read"', '"write"'),
  });
  const asked = async (): Promise<number> => {
    let questions = 0;
    model.replies(callsTool("plugin_sends_run", { text: "x" }), says("done"));
    const person = async (_question: string, signal: AbortSignal): Promise<undefined> => {
      questions += 1;
      const [pending] = JSON.parse((await app.run(["approvals", "list", "--json"])).out) as { readonly code: string }[];
      expect((await app.run(["approvals", "allow", pending?.code ?? "", "--remember", "always"])).code).toBe(0);
      return new Promise((_, reject) => signal.addEventListener("abort", () => reject(new Error("closed"))));
    };
    const ran = await app.run(["agent", "-m", "go", "--session", `cli:${crypto.randomUUID()}`], { person });
    expect([ran.code, ran.err]).toEqual([0, expect.any(String)]);
    return questions;
  };
  await (
    await approved(plugin("one"))
  )(app);
  expect(await asked()).toBe(1);
  expect(model.requests.at(-1)?.raw).toContain("one");
  expect(await asked()).toBe(0);
  await (
    await approved(plugin("two"))
  )(app);
  expect(await asked()).toBe(1);
  expect(existsSync(join(app.home, "rules.json"))).toBe(true);
});
