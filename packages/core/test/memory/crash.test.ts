// Consolidations killed before and after every commit and between the files: each entry once, nothing lost, no loop.
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import type { Agent, Commit, Memory, ModelEvent, ModelRequest, Policy, Provider } from "../../src/index.ts";
import { createAgent, openMemory, RuntimeError } from "../../src/index.ts";
import type { Journals } from "../../src/contract/store.ts";
import { memoryJournals } from "../../src/testing/memory-journals.ts";
import { eachCommit } from "../support/each-commit.ts";
import { openSessions } from "../../src/session/sessions.ts";
import { systemClock } from "../../src/machine/system/clock.ts";

type When = "before" | "after" | "between files";
interface Kill {
  readonly commit: number;
  readonly when: When;
}
interface World {
  readonly home: string;
  readonly journals: Journals;
  /** How often a consolidation was asked for. */
  asked: number;
}

const KEY = "chat:1";
const MESSAGES = ["one", "two", "three", "four", "/new", "five"];
const ORIGIN = { channel: "chat", chat: "1" };

for (const memoryTiming of ["background", "before-turn"] as const)
  test(`ME2 ME3 R181 ${memoryTiming}: killed at any commit, every row is in HISTORY.md or in the context, once`, async () => {
    const clean = await live(memoryTiming, undefined);
    const commits = await commitsOf(clean);
    const answers = commits.filter((commit) => commit.records.some(({ type }) => type === "memory.answered"));
    expect(answers.length).toBeGreaterThan(1);
    await check(clean, "no kill");
    for (const { seq, records } of commits) {
      const about = records.some(({ type }) => /^(memory|history|session\.cleared|turn)/.test(type));
      const ways: readonly When[] = about ? ["before", "after"] : ["after"];
      for (const when of ways) {
        const world = await live(memoryTiming, { commit: seq, when });
        await check(world, `${memoryTiming} ${when} ${seq} ${records.map(({ type }) => type).join()}`);
      }
    }
    for (const { seq } of answers)
      await check(await live(memoryTiming, { commit: seq, when: "between files" }), `${memoryTiming} files ${seq}`);
  });

async function check(world: World, label: string): Promise<void> {
  const history = readFileSync(join(world.home, "workspace", "memory", "HISTORY.md"), "utf8");
  const entries = history.trim().split("\n\n");
  expect(new Set(entries).size, `each entry once, ${label}`).toBe(entries.length);
  const logged = said(history);
  const { state } = (await openSessions({ journals: world.journals, clock: systemClock() }).find(KEY))!;
  expect([state.archive, state.turn, state.pending], label).toEqual([[], undefined, []]);
  const covered = state.answered === undefined ? 0 : (state.answered.gone ?? 0);
  const kept = said(JSON.stringify(state.messages.slice(covered).filter(({ role }) => role !== "notice")));
  expect([...logged, ...kept].toSorted(), `each row once, ${label}`).toEqual(
    MESSAGES.filter((text) => !text.startsWith("/")).toSorted(),
  );
  expect(world.asked, `no loop, ${label}`).toBeLessThan(8);
}

/** The messages of the person in a text, in order. */
function said(text: string): readonly string[] {
  return [...text.matchAll(/said (\w+);/g)].map(([, word = ""]) => word);
}

async function commitsOf({ journals }: World): Promise<readonly Commit[]> {
  const commits: Commit[] = [];
  for (const id of await journals.list()) for await (const commit of journals.read(id)) commits.push(commit);
  return commits;
}

/** Sends every message, one after the other; after the kill a new process goes on from the journal. */
async function live(memoryTiming: "background" | "before-turn", kill: Kill | undefined): Promise<World> {
  const home = mkdtempSync(join(tmpdir(), "margay-crash-"));
  onTestFinished(() => rmSync(home, { recursive: true, force: true }));
  const world: World = { home, journals: memoryJournals(), asked: 0 };
  for (const each of [kill, undefined]) {
    const dead = Promise.withResolvers<void>();
    const agent = start(world, memoryTiming, each, () => dead.resolve());
    const done = (async () => {
      await agent.resume();
      await agent.idle();
      for (const [index, text] of MESSAGES.entries()) {
        await agent.bus.accept({
          key: String(index), // a platform sends again what was not taken
          origin: ORIGIN,
          from: { id: "ann", kind: "person" },
          parts: [{ type: "text", text: text.startsWith("/") ? text : `said ${text};` }],
        });
        await agent.idle();
      }
    })();
    await Promise.race([done.catch(() => {}), dead.promise]);
    await Promise.resolve(agent[Symbol.asyncDispose]()).catch(() => {});
    if (each === undefined) await done;
  }
  return world;
}

function start(
  world: World,
  memoryTiming: "background" | "before-turn",
  kill: Kill | undefined,
  died: () => void,
): Agent {
  let dead = false;
  const die = (): never => {
    dead = true;
    died();
    throw new RuntimeError("journal.failed", "killed");
  };
  let last = 0;
  const journals = eachCommit(world.journals, async ({ seq }, store) => {
    if (dead || (kill?.commit === seq && kill.when === "before")) die();
    await store();
    last = seq;
    if (kill?.commit === seq && kill.when === "after") die();
  });
  const files = openMemory({
    workspace: join(world.home, "workspace"),
    versions: join(world.home, "versions"),
    timeZone: "UTC",
    redact: (text) => text,
  });
  const memory: Memory = {
    ...files,
    log: async (entry, at) => {
      if (dead) die();
      await files.log(entry, at);
      if (kill?.when === "between files" && last >= kill.commit) die();
    },
    rewrite: async (text, expected) => {
      if (dead) die();
      await files.rewrite(text, expected);
    },
  };
  const policy: Policy = {
    admit: () => Promise.resolve({ ok: true }),
    judge: () => Promise.resolve({ kind: "allow", rule: "test" }),
  };
  return createAgent({
    directory: join(world.home, "state"),
    workspace: join(world.home, "workspace"),
    provider: scripted(world),
    model: { provider: "scripted", model: "m" },
    policy,
    memory,
    sessions: openSessions({ journals, clock: systemClock() }),
    settings: { memoryTiming, memoryWindow: 4, memoryKeep: 2, retryDelayMs: 1 },
    channels: [
      {
        id: "chat",
        can: { once: "no", text: { dialect: "markdown", max: 4000 } },
        run: () => Promise.resolve(),
        send: () => Promise.resolve(undefined),
      },
    ],
  });
}

/** Answers everything; a consolidation's entry repeats what was said in its rows. */
function scripted(world: World): Provider {
  return {
    id: "scripted",
    async *stream({ prefix, messages, id }: ModelRequest): AsyncIterable<ModelEvent> {
      await Promise.resolve();
      const usage = { input: 1, output: 1, cacheRead: 0, cacheWrite: 0 };
      const [save] = prefix.tools;
      if (save?.name === "save_memory") {
        world.asked++;
        const words = said(JSON.stringify(messages).split("# Conversation")[1] ?? "");
        const history = words.map((word) => `said ${word};`).join(" ");
        const input = { history, memory: `- asked ${world.asked} times` };
        yield {
          type: "part",
          index: 0,
          part: { type: "tool-call", callId: `${id}-1` as never, name: save.name, input },
        };
        yield { type: "done", finish: "tool-calls", usage };
        return;
      }
      yield { type: "part", index: 0, part: { type: "text", text: "fine" } };
      yield { type: "done", finish: "stop", usage };
    },
  };
}
