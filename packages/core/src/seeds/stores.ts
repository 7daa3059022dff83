/** More of the seeds' names over what exists: thin, no logic of their own (contract, section 21). */
import { textOf } from "../lib/text.ts";
import { never } from "../lib/async/never.ts";
import { shownSkills } from "../context/sections/skills.ts";
import type { Agent } from "../contract/agent.ts";
import type { CallId, Clock, Ids } from "../contract/base.ts";
import type { Memory, Recall, Recalled } from "../contract/memory.ts";
import type { Address } from "../contract/message.ts";
import { sessionKeyOf } from "../lib/session-key.ts";
import type { Skills } from "../skills/skills.ts";

export interface MemoryStore {
  /** MEMORY.md; `""` when there is none. */
  readLongTerm(): Promise<string>;
  /** Replaces MEMORY.md. */
  writeLongTerm(text: string): Promise<void>;
  /** One dated entry at the end of HISTORY.md. */
  appendHistory(entry: string): Promise<void>;
  /** In memory, history and earlier conversations. */
  search(query: string, limit?: number): Promise<readonly Recalled[]>;
}

export interface SkillsLoader {
  /** Names of the skills that are offered, ready or not. */
  list(): Promise<readonly string[]>;
  /** Instructions of one; undefined when it cannot be used now. */
  load(name: string): Promise<string | undefined>;
  /** Names of those that stand in the prompt in full. */
  alwaysOn(): Promise<readonly string[]>;
  /** The others, as the prompt lists them; `""` without any. */
  buildSummary(): Promise<string>;
}

export interface SubagentManager {
  /** @returns that it was started, as the model is told; the result arrives in the chat. */
  spawn(task: string, options: SubagentTask): Promise<string>;
  list(chat: SubagentChat): Promise<readonly { readonly id: string; readonly label: string; readonly steps: number }[]>;
  /** @returns false when it does not run. */
  cancel(id: string): Promise<boolean>;
}
export interface SubagentChat {
  readonly channel: string;
  readonly chatId: string;
}
export interface SubagentTask extends SubagentChat {
  readonly label?: string;
}

const LABEL_CHARS = 30;
const FOUND = 10;
export function createMemoryStore(memory: Memory, recall: Recall, clock: Pick<Clock, "now">): MemoryStore {
  return {
    readLongTerm: () => memory.facts(),
    writeLongTerm: async (text) => memory.rewrite(text, memory.hash(await memory.facts())),
    appendHistory: (entry) => memory.log(entry, clock.now()),
    search: (query, limit = FOUND) => recall.search(query, limit),
  };
}

export function createSkillsLoader(skills: Skills): SkillsLoader {
  return {
    list: async () => (await skills.list(never())).map(({ name }) => name),
    load: async (name) => (await skills.load(name, never()))?.body,
    alwaysOn: async () => (await shownSkills(skills, never())).filter(({ active }) => active).map(({ name }) => name),
    buildSummary: async () => {
      const others = (await shownSkills(skills, never())).filter(({ active }) => !active);
      return others.length === 0 ? "" : `<skills>\n${others.map(({ content }) => content).join("\n")}\n</skills>`;
    },
  };
}

/** @param agent one that was created with `subagents`. */
export function createSubagentManager(
  agent: Pick<Agent, "sessions" | "spawn" | "subagents" | "cancelSubagent">,
  ids: Ids,
): SubagentManager {
  return {
    spawn: async (task, { channel, chatId, label }) => {
      const origin: Address = { channel, chat: chatId };
      const session = await agent.sessions.open(sessionKeyOf(origin), origin);
      const started = await agent.spawn({
        session: session.state.id,
        origin,
        call: ids.next("spawn") as CallId, // a call of nobody's: its own id
        task,
        label: label ?? [...task].slice(0, LABEL_CHARS).join(""),
        wait: false,
        signal: never(),
      });
      return typeof started === "string" ? started : textOf(started.parts);
    },
    list: async ({ channel, chatId }) => {
      const session = await agent.sessions.find(sessionKeyOf({ channel, chat: chatId }));
      const running = session === undefined ? [] : agent.subagents(session.state.id);
      return running.map(({ key, label, steps }) => ({ id: key, label, steps }));
    },
    cancel: (id) => agent.cancelSubagent(id),
  };
}
