// The third identical look-up of a turn is answered from the first: a model in a circle costs no network.
import type { CallId, TurnId } from "../../contract/base.ts";
import type { ToolContext, ToolResult } from "../../contract/tool.ts";

const MAX_TURNS = 50;
const NOTE = "[repeated: the same call gave this result before; nothing was fetched]";

export interface Repeats {
  /** Runs `work`, or gives the first result of the turn for the third call with the same key. */
  once(key: string, context: ToolContext, work: () => Promise<ToolResult>): Promise<ToolResult>;
}

interface Seen {
  readonly calls: Set<CallId>;
  first?: ToolResult;
}

/** Keeps results of the last turns only; nothing of it is needed after a restart. */
export function createRepeats(): Repeats {
  const turns = new Map<TurnId, Map<string, Seen>>();
  return {
    once: async (key, context, work) => {
      const turn = turns.get(context.turnId) ?? new Map<string, Seen>();
      turns.delete(context.turnId);
      turns.set(context.turnId, turn); // the newest last
      for (const oldest of [...turns.keys()].slice(0, -MAX_TURNS)) turns.delete(oldest);
      const seen: Seen = turn.get(key) ?? { calls: new Set() };
      turn.set(key, seen);
      // Another attempt at one call is no repetition.
      seen.calls.add(context.callId);
      if (seen.calls.size > 2 && seen.first !== undefined) return marked(seen.first);
      const result = await work();
      seen.first ??= result;
      return result;
    },
  };
}

function marked(result: ToolResult): ToolResult {
  if (typeof result === "string") return `${result}\n${NOTE}`;
  return { ...result, parts: [...result.parts, { type: "text", text: NOTE }] };
}
