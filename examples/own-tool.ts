// A tool of your own, a model behind real HTTP, the answer streamed. Run: node --conditions=margay-source examples/own-tool.ts
import assert from "node:assert/strict";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createAgent, defineTool, httpProvider } from "@margay/core";
import { callsTool, says, startMockModel } from "@margay/core/testing";

const folder = await mkdtemp(join(tmpdir(), "own-tool-"));
await using model = await startMockModel(); // in place of a vendor; it speaks the same wire
model.replies(callsTool("dice", { sides: 6 }), says("You rolled a four."));

const dice = defineTool<{ readonly sides: number }>({
  name: "dice",
  description: "Rolls one die. Returns the number as text.",
  input: {
    type: "object",
    properties: { sides: { type: "integer", minimum: 2 } },
    required: ["sides"],
  },
  effect: "read", // a crash may run it again
  execute: ({ sides }) => Promise.resolve(`4 of ${sides}`),
});

{
  await using agent = createAgent({
    directory: join(folder, "state"),
    workspace: join(folder, "workspace"),
    provider: httpProvider({ id: "local", wire: "openai-chat", baseUrl: `${model.url}/v1` }),
    model: { provider: "local", model: "any" },
    tools: [dice],
  });

  const turn = agent.send("example:1", "Roll a die for me.");
  for await (const event of turn) {
    if (event.type === "text.delta") process.stdout.write(event.text);
  }
  const { text, toolsUsed, reason } = await turn.finished;
  process.stdout.write("\n");

  assert.deepEqual({ text, toolsUsed, reason }, { text: "You rolled a four.", toolsUsed: ["dice"], reason: "done" });
  assert.equal(model.requests.length, 2);
}
await rm(folder, { recursive: true });
