// A conversation goes on in another process: everything is in the journal. Any `chat(messages)` function can be the model.
// Run: node --conditions=margay-source examples/survives-a-restart.ts
import assert from "node:assert/strict";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createAgent, providerFromChat, type Agent } from "@margay/core";

const folder = await mkdtemp(join(tmpdir(), "restart-"));

/** The same as a new process would do it: an agent over the same state directory. */
function start(): Agent {
  return createAgent({
    directory: join(folder, "state"),
    workspace: join(folder, "workspace"),
    provider: providerFromChat((messages) => {
      const said = messages.filter((message) => message.role === "user").length;
      return Promise.resolve({ content: `I have read ${said} user rows so far.` });
    }),
    model: { provider: "chat", model: "counter" },
  });
}

async function ask(text: string): Promise<string> {
  await using agent = start();
  return (await agent.send("example:1", text).finished).text;
}

const first = await ask("hello");
const second = await ask("hello again");
process.stdout.write(`${first}\n${second}\n`);

const count = (text: string): number => Number(/\d+/.exec(text)?.[0]);
assert.ok(count(second) > count(first), "the second process knows what the first one was told");
await rm(folder, { recursive: true });
