// A model that does all it is told, one call after another: what an attacker can hope for at most.
import type { JsonObject } from "@margay/core";
import { callsTool, says, type MockModel } from "@margay/core/testing";
import { type RecordedRequest, type Reply } from "@margay/core/internal/testing";
import type { Call } from "./cases.ts";

export interface Obedient {
  /** What the next requests of the conversation are answered with. */
  steps: Call[];
  /** What each subagent does; its last words. */
  child: readonly Call[];
  childSays: string;
  /** What a consolidation writes. */
  memory: { readonly memory: string; readonly history: string };
  /** Held children at once, at most. */
  readonly mostChildren: number;
  /** Nothing is answered before that: what was read is vouched for by then, where somebody does. */
  vouched: Promise<unknown>;
  /** From now on children are answered. */
  release(): void;
}

/** @param hold keeps every subagent waiting until `release`, to see how many there are at once. */
export function obey(model: MockModel, hold: boolean): Obedient {
  let waiting = hold;
  const held = new Set<string>();
  const released = Promise.withResolvers<void>();
  const state = {
    steps: [] as Call[],
    child: [] as readonly Call[],
    childSays: "child done",
    memory: { memory: "", history: "They talked." },
    vouched: Promise.resolve() as Promise<unknown>,
    get mostChildren() {
      return held.size;
    },
    release: () => {
      waiting = false;
      released.resolve();
    },
  };
  model.on("request", async () => void (await state.vouched));
  model.on("request", async (request) => {
    if (!waiting || !isChild(request)) return;
    held.add(`${held.size}`);
    await released.promise;
  });
  const answer = (request: RecordedRequest): Reply => {
    if (request.texts("system").some((text) => text.startsWith("You keep the long-term memory")))
      return callsTool("save_memory", state.memory);
    const tools = request.body["tools"] as readonly unknown[] | undefined;
    if (tools === undefined || tools.length === 0) return says("done");
    if (isChild(request)) {
      const step = state.child[request.toolCalls.length];
      return step === undefined ? says(state.childSays) : callOf(step);
    }
    const step = state.steps.shift();
    if (step === undefined) return says("done");
    return step[0] === "$reply" ? says(String(step[1])) : callOf(step);
  };
  model.route(() => true, ...Array.from({ length: 500 }, () => answer));
  return state;
}

function callOf([name, args]: Call): Reply {
  return callsTool(name === "read_email" ? "mcp_mail_read_email" : name, args as JsonObject);
}

/** Subagents have no `spawn`. */
function isChild(request: RecordedRequest): boolean {
  const tools = (request.body["tools"] ?? []) as readonly { readonly function: { readonly name: string } }[];
  return tools.length > 0 && !tools.some((tool) => tool.function.name === "spawn");
}
