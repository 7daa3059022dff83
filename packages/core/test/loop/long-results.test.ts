import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { callsTool, says } from "../../src/testing.ts";
import { expect, test } from "vitest";
import { CHAT, startAgent, tool } from "../support/agent.ts";

test("SE6 R88 a secret where a long result is cut is whole when it is taken out, and in no stored result", async (t) => {
  const secret = "sk-secret-1234567890";
  const text = Array.from({ length: 900 }, () => `${"x".repeat(11)} ${secret}`).join(" ");
  const { agent, model, workspace } = await startAgent(t, {
    tools: [tool("long", "read", () => text)],
    redact: (found) => found.replaceAll(secret, "[redacted]"),
  });
  model.replies(callsTool("long"), says("done"));
  await agent.send(CHAT, "go").finished;
  const [shown = ""] = model.requests.at(-1)?.toolResults.map((result) => result.text) ?? [];
  expect(shown).toContain("characters left out");
  expect(shown).not.toMatch(/sk-|secret|567890/);
  const directory = join(workspace, ".margay", "results");
  const stored = readdirSync(directory).map((name) => readFileSync(join(directory, name), "utf8"));
  expect(stored).toHaveLength(1);
  expect(stored.join("")).not.toContain("secret");
});
