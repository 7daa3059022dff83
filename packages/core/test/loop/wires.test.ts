import { expect, test } from "vitest";

import type { Message } from "../../src/contract/message.ts";
import { callsTool, says, startMockModel } from "../../src/testing.ts";
import { callsTools, thinks } from "../../src/internal-testing.ts";
import { CHAT, startAgent, tool } from "../support/agent.ts";
import { WIRES } from "../support/wires.ts";

test("R2 one script gives equal transcripts on every wire, by the rules of each", async (t) => {
  const transcripts: Record<string, readonly object[]> = {};
  for (const [name, connect] of Object.entries(WIRES)) {
    await using model = await startMockModel();
    const { agent } = await startAgent(t, { tools: [tool("note"), tool("other")], provider: connect(model) });
    model.replies(
      thinks("Let me see.", callsTool("note", { n: 1 }, { text: "Looking." }), { signature: "sig-1" }),
      callsTools([{ name: "note", args: { n: 2 } }, { name: "other" }]),
      says("Found it.", { chunks: 3 }),
      thinks("Short.", says("You're welcome."), { signature: "sig-2" }),
    );
    expect((await agent.send(CHAT, "where is it?").finished).text, name).toBe("Found it.");
    expect((await agent.send(CHAT, "thanks").finished).text, name).toBe("You're welcome.");
    expect(
      model.requests.map((request) => request.toolResults.length),
      name,
    ).toEqual([0, 1, 3, 3]);
    transcripts[name] = ((await agent.sessions.find(CHAT))?.state.messages ?? []).flatMap(visible);
  }
  const [first, ...others] = Object.values(transcripts);
  expect(first).toHaveLength(9);
  for (const transcript of others) expect(transcript).toEqual(first);
});

/** What is the same whoever made it: no ids, times, prices or provider state. */
function visible(message: Message): readonly object[] {
  switch (message.role) {
    case "notice":
      return [];
    case "assistant":
      return [
        {
          role: message.role,
          finish: message.finish,
          parts: message.parts.map((part) =>
            part.type === "tool-call" ? { name: part.name, input: part.input } : { type: part.type, text: part.text },
          ),
        },
      ];
    case "tool":
      return [{ role: message.role, name: message.name, parts: message.parts, status: message.status }];
    case "user":
      return [{ role: message.role, parts: message.parts }];
  }
}
