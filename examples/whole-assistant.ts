// The whole assistant in a program of yours: `config` is what config.json may hold. Run: node --conditions=margay-source examples/whole-assistant.ts
import assert from "node:assert/strict";
import { mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { callsTool, says, startMockModel } from "@margay/core/testing";
import { openAgent } from "margay";

const home = await mkdtemp(join(tmpdir(), "assistant-"));
await using model = await startMockModel(); // in place of a vendor; it speaks the same wire
model.replies(callsTool("remember", { text: "Ada drinks tea." }), says("I will remember it."));

{
  await using assistant = await openAgent({
    home: join(home, "state"),
    config: {
      workspace: join(home, "workspace"),
      model: "local/any",
      providers: { local: { api: "openai-chat", baseUrl: `${model.url}/v1`, apiKey: "not-needed" } },
      persona: { name: "Marge" },
    },
  });
  const { text } = await assistant.agent.send("cli:direct", "I drink tea, by the way.").finished;
  process.stdout.write(`${text}\n`);

  assert.equal(text, "I will remember it.");
  assert.match(model.requests[0]?.system ?? "", /Marge/);
  assert.ok((model.requests[0]?.toolNames.length ?? 0) > 10, "every tool of the configuration is offered");
}
assert.match(await readFile(join(home, "workspace", "memory", "MEMORY.md"), "utf8"), /tea/);
await rm(home, { recursive: true });
