import { mkdir, readFile } from "node:fs/promises";
import { fileURLToPath } from "node:url";
import { expect, test } from "vitest";

import { openJournalDirectory } from "../../src/journal/directory.ts";
import { RuntimeError } from "../../src/lib/errors/errors.ts";
import { eachCommit } from "../support/each-commit.ts";
import { openSessions } from "../../src/session/sessions.ts";
import { callsTool, fakeClock, runUntilCrash, says, startMockModel } from "../../src/testing.ts";
import { stalls } from "../../src/internal-testing.ts";
import { temporaryFolder } from "../support/folder.ts";
import { CHAT, ofType, startAgent, tool } from "../support/agent.ts";

test("R65 an attempt that a restart cut off counts: only the third one runs", async (t) => {
  const runs: number[] = [];
  const second = Promise.withResolvers<void>();
  const flaky = tool("flaky", "read", (_input, context) => {
    runs.push(runs.length + 1);
    if (runs.length !== 2) return Promise.reject(new Error(`no luck ${runs.length}`));
    second.resolve();
    return new Promise<string>((_resolve, reject) => {
      context.signal.addEventListener("abort", () => reject(context.signal.reason as Error), { once: true }); // what the runtime aborted with
    });
  });
  const before = await startAgent(t, { tools: [flaky] });
  before.model.replies(callsTool("flaky"), says("I give up"));
  const lost = before.agent.send(CHAT, "go").finished.catch((error: unknown) => error);
  await before.clock.waitForSleep(1, 1000);
  await before.clock.advance(1000);
  await second.promise;
  const after = await before.restart();
  await lost;
  await after.agent.resume();
  await after.agent.idle();
  expect(runs).toEqual([1, 2, 3]);
  expect(after.model.requests[1]?.toolResults.map(({ text }) => text)).toEqual([
    "Error: flaky failed after 3 attempts: no luck 3",
  ]);
});

test("R75 a read call that a restart cut off runs again under the same id, without a new message", async (t) => {
  const ids: string[] = [];
  const first = Promise.withResolvers<void>();
  const slow = tool("slow", "read", (_input, context) => {
    ids.push(context.callId);
    if (ids.length > 1) return "read";
    first.resolve();
    return new Promise<string>((_resolve, reject) => {
      context.signal.addEventListener("abort", () => reject(context.signal.reason as Error), { once: true }); // what the runtime aborted with
    });
  });
  const before = await startAgent(t, { tools: [slow] });
  before.model.replies(callsTool("slow"), says("done"));
  const lost = before.agent.send(CHAT, "go").finished.catch((error: unknown) => error);
  await first.promise;
  const after = await before.restart();
  expect(await lost).toMatchObject({ code: "turn.cancelled" });
  await after.agent.resume();
  await after.agent.idle();
  expect(ids).toEqual([ids[0], ids[0]]);
  expect(ofType(await after.records(), "turn.ended").map(({ reason, text }) => [reason, text])).toEqual([
    ["done", "done"],
  ]);
});

test("R20 LP21 closing in the middle of an answer leaves the turn to the next start", async (t) => {
  const before = await startAgent(t);
  before.model.replies(stalls({ after: "The ans" }), says("The answer."));
  const turn = before.agent.send(CHAT, "go");
  for await (const event of turn) if (event.type === "text.delta") break;
  const after = await before.restart();
  await expect(turn.finished).rejects.toMatchObject({ code: "turn.cancelled" });
  expect(await after.agent.resume()).toEqual([CHAT]);
  await after.agent.idle();
  expect(ofType(await after.records(), "reply.queued").map(({ parts }) => parts)).toEqual([
    [{ type: "text", text: "The answer." }],
  ]);
  expect(after.model.requests[1]?.sequence).toEqual(after.model.requests[0]?.sequence);
});

test("R77 a message that kills the process four times is given up with an error reply", async () => {
  await using folder = await temporaryFolder();
  await using model = await startMockModel();
  await mkdir(folder.at("workspace"));
  const program = fileURLToPath(new URL("./fixtures/one-turn.ts", import.meta.url));
  const args = [program, folder.at("home"), folder.at("workspace"), model.url, folder.at("ledger")];
  // The request is committed with the fourth line, and with the first after each restart.
  for (const commit of [4, 1, 1, 1])
    expect(await runUntilCrash({ args, at: { commit, when: "after" } })).toMatchObject({ signal: "SIGKILL" });
  const last = await runUntilCrash({ args });
  expect(last.stdout).toMatch(/^error: .*\[model\.attempts\]$/m);
  expect(model.requests).toEqual([]);
  await expect(readFile(folder.at("ledger"))).rejects.toThrow(/ENOENT/);
});

test("LP25 a conversation that cannot be opened at the start goes on when its disk is back, and the others at once", async (t) => {
  await using folder = await temporaryFolder();
  let broken = "";
  const disk = openJournalDirectory(folder.at("sessions"));
  const store = () =>
    openSessions({
      clock: fakeClock(),
      journals: {
        ...disk,
        open(id) {
          if (id === broken) throw new RuntimeError("journal.failed", "The disk is gone. Bring it back.");
          return disk.open(id);
        },
      },
    });
  const first = await startAgent(t, { sessions: store() });
  first.model.replies(stalls(), stalls(), says("answered"), says("answered"));
  const lost = ["test:1", "test:2"].map((key) =>
    first.agent.send(key, `of ${key}`).finished.catch((error: unknown) => error),
  );
  await first.model.received(2);
  const { agent, clock, model, log, records } = await first.restart({ sessions: store() });
  await Promise.all(lost);
  // The one that is looked at first.
  const [latest, other] = await agent.sessions.list();
  broken = latest?.id ?? "";
  expect(await agent.resume()).toEqual([other?.key]);
  await model.received(3);
  await agent.idle();
  expect(log.lines.filter(({ level }) => level === "error")).toMatchObject([
    { event: "session.failed", data: { session: latest?.key, message: "The disk is gone. Bring it back." } },
  ]);
  broken = "";
  await clock.advance(await clock.waitForSleep());
  await model.received(4);
  await agent.idle();
  for (const key of ["test:1", "test:2"])
    expect(ofType(await records(key), "turn.ended").map(({ text }) => text)).toEqual(["answered"]);
});

test("LP25 a disk that fails ends the session's work, publishes nothing, and after its repair the message is answered", async (t) => {
  await using folder = await temporaryFolder();
  let broken = false;
  const disk = openJournalDirectory(folder.at("sessions"));
  const started = await startAgent(t, {
    tools: [tool("note", "write", () => ((broken = true), "noted"))],
    sessions: openSessions({
      clock: fakeClock(0),
      journals: eachCommit(disk, (_commit, store) =>
        broken ? Promise.reject(new RuntimeError("journal.failed", "The disk is full. Free some space.")) : store(),
      ),
    }),
  });
  const { agent, model } = started;
  model.replies(callsTool("note"), says("answered"));
  const turn = agent.send(CHAT, "go");
  const seen: string[] = [];
  for await (const event of turn) {
    seen.push(event.type);
    if (event.type === "tool.started") break;
  }
  await agent.idle();
  expect(seen).not.toContain("tool.finished");
  expect(model.requests).toHaveLength(1);
  broken = false;
  await agent.resume();
  await agent.idle();
  expect(ofType(await started.records(), "turn.ended").map(({ text }) => text)).toEqual(["answered"]);
  expect(model.requests[1]?.toolResults[0]?.text).toContain("may or may not have taken effect");
});
