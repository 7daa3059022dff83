// A process in this process that dies at one of its commits: nothing it does afterwards is stored, as after SIGKILL.
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { onTestFinished } from "vitest";
import type { Clock } from "../../src/contract/base.ts";
import type { OutboundMessage } from "../../src/contract/bus.ts";
import type { Channel } from "../../src/contract/channel.ts";
import type { MediaPart } from "../../src/contract/message.ts";
import type { Journals, SessionStore } from "../../src/contract/store.ts";
import { createAgent, RuntimeError, type Agent, type AgentOptions, type JournalRecord } from "../../src/index.ts";
import { memoryJournals } from "../../src/testing/memory-journals.ts";
import { eachCommit } from "./each-commit.ts";
import { openSessions } from "../../src/session/sessions.ts";
import { fakeClock } from "../../src/testing.ts";
import { type FakeClock } from "../../src/internal-testing.ts";

export interface Kill {
  /** From 1, whichever journal it goes to. */
  readonly commit: number;
  readonly when: "before" | "after";
}
export interface Dying {
  readonly sessions: SessionStore;
  isDead(): boolean;
  /** Until it rests or is dead. @returns whether it died. */
  run(work: () => Promise<void>): Promise<boolean>;
}

/** Without `kill` it lives to its end. */
export function dying(kept: Journals, clock: Clock, kill?: Kill): Dying {
  const died = Promise.withResolvers<void>();
  let dead = false;
  let commits = 0;
  const store = async (write: () => Promise<void>): Promise<void> => {
    if (dead) throw new RuntimeError("journal.failed", "dead");
    commits += 1;
    const isLast = commits === kill?.commit;
    if (!isLast || kill?.when === "after") await write();
    if (!isLast) return;
    dead = true;
    died.resolve();
    throw new RuntimeError("journal.failed", "killed");
  };
  const journals = eachCommit(kept, (_commit, write) => store(write));
  return {
    sessions: openSessions({ journals, clock }),
    isDead: () => dead,
    run: async (work) => {
      const living = work().catch((error: unknown) => (dead ? undefined : Promise.reject(error as Error)));
      await Promise.race([living, died.promise]);
      return dead;
    },
  };
}

/** What outlives each life. */
export interface MortalWorld {
  readonly clock: FakeClock;
  readonly home: string;
  readonly journals: Journals;
}

export function mortalWorld(): MortalWorld {
  const home = mkdtempSync(join(tmpdir(), "margay-mortal-"));
  onTestFinished(() => rmSync(home, { recursive: true, force: true }));
  return { clock: fakeClock(), home, journals: memoryJournals() };
}

export interface Life extends Pick<AgentOptions, "provider" | "isContact" | "subagents" | "voice" | "blobs"> {
  readonly tools: (agent: () => Agent) => NonNullable<AgentOptions["tools"]>;
  /** What Ann writes in chat 1, in each life under the same key. */
  readonly text: string;
  /** What comes with it. */
  readonly media?: readonly MediaPart[];
  /** What the platform can do. Default: texts. */
  readonly can?: Partial<Channel["can"]>;
  /** What reaches a chat. */
  readonly sent: (message: OutboundMessage) => void;
}

/** An agent from its start until it rests or dies. @returns whether it died. */
export async function live({ clock, home, journals }: MortalWorld, life: Life, kill?: Kill): Promise<boolean> {
  const process = dying(journals, clock, kill);
  const { tools, text, media = [], can, sent, ...options } = life;
  const agent: Agent = createAgent({
    directory: join(home, "state"),
    workspace: join(home, "workspace"),
    model: { provider: "test", model: "m" },
    policy: {
      admit: () => Promise.resolve({ ok: true }),
      judge: () => Promise.resolve({ kind: "allow", rule: "test" }),
    },
    sessions: process.sessions,
    ...options,
    tools: tools(() => agent),
    channels: [
      {
        id: "chat",
        can: { once: "no", text: { dialect: "markdown", max: 100_000 }, ...can },
        run: () => Promise.resolve(),
        send: (message) => {
          if (process.isDead()) return Promise.reject(new Error("dead"));
          sent(message);
          return Promise.resolve(undefined);
        },
      },
    ],
    clock,
  });
  const died = await process.run(async () => {
    await agent.resume();
    const origin = { channel: "chat", chat: "1" };
    const parts = [{ type: "text", text } as const, ...media];
    await agent.bus.accept({ key: "1", origin, from: { id: "ann", kind: "person" }, parts });
    await agent.idle();
  });
  await Promise.resolve(agent[Symbol.asyncDispose]()).catch(() => {}); // it is dead
  return died;
}

/** Everything in the journal of a conversation. */
export async function keptRecords(journals: Journals, clock: Clock, key: string): Promise<readonly JournalRecord[]> {
  const session = await openSessions({ journals, clock }).find(key);
  const records: JournalRecord[] = [];
  if (session !== undefined) for await (const commit of session.history()) records.push(...commit.records);
  return records;
}

/** Mulberry32: the same stories for the same seed. */
export function numbers(seed: number): () => number {
  let state = seed * 0x9e3779b9;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let value = Math.imul(state ^ (state >>> 15), 1 | state);
    value = (value + Math.imul(value ^ (value >>> 7), 61 | value)) ^ value;
    return ((value ^ (value >>> 14)) >>> 0) / 4_294_967_296;
  };
}
