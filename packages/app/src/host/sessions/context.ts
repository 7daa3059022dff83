/** What is in the context of a conversation now, in tokens, and what precedes its first message. */
import { allOf, createTokenCounter, type Summary } from "@margay/core/internal";
import { emptyState, fold } from "@margay/core/internal/state";
import type { z } from "zod";
import { Problem } from "../api/problem.ts";
import type { ContextSchema, PrefixSchema } from "../../protocol/sessions.ts";
import { eventsOf, type Caller } from "./access.ts";
import { detailOf } from "./detail.ts";

export async function contextOf(caller: Caller, session: Summary): Promise<z.infer<typeof ContextSchema>> {
  const { app } = caller.services;
  const events = eventsOf(caller.services);
  let state = emptyState(session.id);
  for await (const commit of events.reader.whole(session.id)) state = fold(state, commit);
  const counter = createTokenCounter();
  const count = (text: string): number => counter.text(text);
  const tokens = { system: 0, tools: 0, memory: 0, skills: 0, messages: 0, results: 0 };
  if (state.prefix !== undefined) {
    const { memory, skills, rest } = partsOf(state.prefix.system);
    tokens.system = count(rest);
    tokens.memory = count(memory);
    tokens.skills = count(skills);
    tokens.tools = count(JSON.stringify(state.prefix.tools));
  }
  for (const message of state.messages) {
    const text =
      message.role === "notice"
        ? message.text
        : message.parts
            .map((part) =>
              part.type === "text" || part.type === "thinking"
                ? part.text
                : part.type === "tool-call"
                  ? JSON.stringify(part.input)
                  : "",
            )
            .join("");
    tokens[message.role === "tool" ? "results" : "messages"] += count(text);
  }
  const { context } = detailOf(app, events, session, await events.reader.view(session.id), false);
  return {
    ...context,
    sections: (["system", "tools", "memory", "skills", "messages", "results"] as const).map((id) => ({
      id,
      tokens: tokens[id],
    })),
  };
}

/** The sections of the instructions that a person asks about; skills are the last of them. */
function partsOf(system: string): { readonly memory: string; readonly skills: string; readonly rest: string } {
  const starts = ["## Active skills\n", "## Skills\n<skills>"].map((head) => system.lastIndexOf(`\n\n${head}`));
  const from = Math.min(...starts.map((at) => (at < 0 ? system.length : at)));
  const before = system.slice(0, from);
  const memory = /(?:^|\n\n)<file path="memory\/MEMORY\.md">\n[^]*?\n<\/file>(?=\n\n|$)/.exec(before)?.[0] ?? "";
  return { memory, skills: system.slice(from), rest: before.replace(memory, "") };
}

/** @throws Problem `message.not-found`. */
export async function prefixOf(caller: Caller, session: Summary, hash: string): Promise<z.infer<typeof PrefixSchema>> {
  for await (const { records } of eventsOf(caller.services).reader.whole(session.id)) {
    const found = allOf(records, "prefix.frozen").find(({ prefix }) => prefix.hash === hash);
    if (found === undefined) continue;
    const counter = createTokenCounter();
    return {
      hash,
      system: found.prefix.system,
      tools: found.prefix.tools.map((tool) => ({
        name: tool.name,
        tokens: counter.text(JSON.stringify(tool)),
        schema: structuredClone(tool.inputSchema) as z.infer<typeof PrefixSchema>["tools"][number]["schema"], // the same JSON, not readonly
      })),
      because: found.because,
    };
  }
  throw new Problem("message.not-found", `No epoch of this session began with ${hash.slice(0, 64)}.`);
}
