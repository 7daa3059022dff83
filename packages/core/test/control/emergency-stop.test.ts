// The flag of the emergency stop, set without anybody being told: a turn finds out at its next step.
import { expect, test, type TestContext } from "vitest";
import { openSessions, RuntimeError } from "../../src/index.ts";
import { openJournalDirectory } from "../../src/internal.ts";
import { eachCommit } from "../support/each-commit.ts";
import { callsTool, fakeClock, says } from "../../src/testing.ts";
import { stalls } from "../../src/internal-testing.ts";
import { CHAT, ofType, startAgent, tool } from "../support/agent.ts";
import { temporaryFolder } from "../support/folder.ts";

/** As a home holds it: whoever sets it tells nobody. */
function flag() {
  let on = false;
  return {
    get on() {
      return on;
    },
    set: (next: boolean) => {
      on = next;
    },
  };
}

test("R183 a turn asks the flag before each step: what is begun ends, nothing more is asked or run, what waits is withdrawn", async (t) => {
  const stopFlag = flag();
  const ran: string[] = [];
  const { agent, model, records } = await startAgent(t, {
    stopFlag,
    tools: [
      tool("first", "write", () => {
        ran.push("first");
        stopFlag.set(true);
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
  stopFlag.set(false);
  expect((await agent.send(CHAT, "hello").finished).text).toBe("here again");
  expect(ran).toEqual(["first"]);
});

test("R183 a full disk takes no flag: what works is stopped all the same, and the failure is told", async (t) => {
  const { agent, model } = await startAgent(t, {
    stopFlag: {
      on: false,
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

test("R183 a second stop waits for the flag, and one after a full disk writes it", async (t) => {
  let [on, written] = [false, Promise.withResolvers<void>()];
  const asked: boolean[] = [];
  const stopFlag = {
    get on() {
      return on;
    },
    set: async (next: boolean) => {
      on = next;
      asked.push(next);
      await written.promise;
    },
  };
  const { agent } = await startAgent(t, { stopFlag });
  const stop = () => agent.stopAll({ id: "owner", kind: "person" });
  const both = Promise.allSettled([stop(), stop()]);
  written.reject(new Error("ENOSPC"));
  expect((await both).map(({ status }) => status)).toEqual(["rejected", "rejected"]);
  expect(asked).toEqual([true]);
  written = Promise.withResolvers();
  written.resolve();
  await stop();
  expect(asked).toEqual([true, true]);
  await stop();
  expect(asked).toEqual([true, true]);
});

test("R183 a full disk takes no record of a stop: the work ends all the same, and in the other conversations it is recorded", async (t) => {
  await using folder = await temporaryFolder();
  const disk = openJournalDirectory(folder.at("sessions"));
  let full = "";
  const journals = eachCommit(disk, (_commit, store, id) =>
    id === full ? Promise.reject(new RuntimeError("journal.failed", "The disk is full. Free some space.")) : store(),
  );
  const stopFlag = flag();
  const { agent, model, log } = await startAgent(t, {
    sessions: openSessions({ clock: fakeClock(), journals }),
    stopFlag,
  });
  model.replies(stalls(), stalls());
  const [one, other] = ["test:1", "test:2"].map((key) => agent.send(key, "go"));
  one?.finished.catch(() => {}); // its journal takes no end
  await model.received(2);
  full = (await agent.sessions.find("test:1"))?.state.id ?? "";
  expect(await agent.stopAll({ id: "ann", kind: "person" })).toMatchObject({ turns: 2 });
  expect((await other?.finished)?.reason).toBe("cancelled");
  expect(log.lines.filter(({ event }) => event === "stop.unrecorded")).toHaveLength(1);
});

/** A `write` call whose verdict waits: what stops the turn comes first. @returns the flag of the emergency stop, too. */
async function whileJudged(t: TestContext) {
  const [judging, judged] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
  const stopFlag = flag();
  const { agent, model, records } = await startAgent(t, {
    stopFlag,
    tools: [tool("pay", "write")],
    policy: {
      admit: () => Promise.resolve({ ok: true }),
      judge: async () => {
        judging.resolve();
        await judged.promise;
        return { kind: "allow", rule: "test" };
      },
    },
  });
  model.replies(callsTool("pay"), says("never"));
  const turn = agent.send(CHAT, "go");
  await judging.promise;
  const neverRan = async (): Promise<void> => {
    expect((await turn.finished).reason).toBe("cancelled");
    await agent.idle();
    expect(ofType(await records(), "tool.started")).toEqual([]);
    expect(ofType(await records(), "tool.finished").map(({ message }) => message.status)).toEqual(["denied"]);
  };
  return { agent, stopFlag, allow: judged.resolve, neverRan };
}

test("R183 a flag that is set while a call is judged keeps it from running, although it is allowed", async (t) => {
  const { stopFlag, allow, neverRan } = await whileJudged(t);
  stopFlag.set(true);
  allow();
  await neverRan();
});

test("R66 a person's stop while a call is judged keeps it from running, although it is allowed", async (t) => {
  const { agent, allow, neverRan } = await whileJudged(t);
  const session = await agent.sessions.open(CHAT, { channel: "test", chat: "1" });
  session.subscribe((event) => {
    if (event.type === "turn.cancelled") allow();
  });
  await agent.control(CHAT, { type: "stop", withdraw: false }, { id: "ann", kind: "person" });
  await neverRan();
});
