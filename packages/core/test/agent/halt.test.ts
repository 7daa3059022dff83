// The flag of the emergency stop, set without anybody being told: a turn finds out at its next step.
import { expect, test } from "vitest";
import { callsTool, says, stalls } from "../../src/testing.ts";
import { CHAT, ofType, startAgent, tool } from "../support/agent.ts";

test("R183 a turn asks the flag before each step: what is begun ends, nothing more is asked or run, what waits is withdrawn", async (t) => {
  let paused = false;
  const ran: string[] = [];
  const { agent, model, records } = await startAgent(t, {
    pause: {
      get paused() {
        return paused;
      },
      set: (next) => {
        paused = next;
      },
    },
    tools: [
      tool("first", "write", () => {
        ran.push("first");
        paused = true;
        return "done";
      }),
    ],
  });
  model.replies(callsTool("first", {}), says("here again"));
  const turn = agent.send(CHAT, "go");
  expect((await turn.finished).reason).toBe("cancelled");
  await agent.idle();
  expect(ran).toEqual(["first"]);
  expect(model.requests).toHaveLength(1);
  expect(ofType(await records(), "turn.cancelled")[0]?.by.id).toBe("emergency-stop");
  // The result of what had run is in the journal: nothing is repeated after the release.
  expect(ofType(await records(), "tool.finished")).toHaveLength(1);
  paused = false;
  expect((await agent.send(CHAT, "hello").finished).text).toBe("here again");
  expect(ran).toEqual(["first"]);
});

test("R183 a full disk takes no flag: what works is stopped all the same, and the failure is told", async (t) => {
  const { agent, model } = await startAgent(t, {
    pause: {
      paused: false,
      set: () => {
        throw new Error("ENOSPC");
      },
    },
  });
  model.replies(stalls());
  const turn = agent.send(CHAT, "go");
  await model.received(1);
  await expect(agent.stopAll({ id: "owner", kind: "person" })).rejects.toThrow("ENOSPC");
  expect((await turn.finished).reason).toBe("cancelled");
});
