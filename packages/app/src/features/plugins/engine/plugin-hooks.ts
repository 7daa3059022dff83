/** Hooks of approved plugins, as the agent asks them. */
import { RuntimeError, type Clock, type JsonObject } from "@margay/core";
import { messageOf, type Hooks, type HooksSaid } from "@margay/core/internal";
import { readAnswer } from "./offer.ts";
import type { Plugins } from "./plugins.ts";

/** Of each hook. */
const DEADLINE_MS = 2000;
const MAY_DENY: ReadonlySet<string> = new Set(["call.before", "reply.out"]);

/** @param owner As whom the owner reads: what a hook says of a conversation is for them alone. */
export function pluginHooks(plugins: Plugins, clock: Clock, owner: string): Hooks {
  const standing = (point: string): readonly string[] =>
    [...plugins.approved].flatMap(([name, { points }]) =>
      points.some((own) => own === point) && plugins.standing(name) === undefined ? [name] : [],
    );
  return {
    has: (point) => standing(point).length > 0,
    ask: async (event, audience) => {
      const answers = await Promise.all(
        standing(String(event["point"])).map((name) => askOne(plugins, name, event, clock)),
      );
      const notes = answers.flatMap((answer) => answer.notes);
      const denied = answers.find((answer) => answer.denied !== undefined)?.denied;
      // guard: what was said in one conversation is told in no other, so nothing that a hook words is.
      const isOwners = audience === undefined || audience === owner;
      return {
        notes: isOwners ? notes : [],
        ...(denied !== undefined && { denied: isOwners ? denied : { ...denied, reason: "a hook forbids it" } }),
      };
    },
  };
}

async function askOne(plugins: Plugins, plugin: string, event: JsonObject, clock: Clock): Promise<HooksSaid> {
  const point = String(event["point"]);
  const mayDeny = MAY_DENY.has(point);
  const late = new AbortController();
  using _deadline = clock.timer(DEADLINE_MS, () =>
    late.abort(new RuntimeError("tool.timeout", `The plugin ${plugin} did not answer within 2 s.`)),
  );
  try {
    const answer = readAnswer(await plugins.hook(plugin, event, late.signal), mayDeny);
    if (answer === "wrong") throw plugins.wrong(plugin, `it gave no answer of ${point}`);
    if (answer === undefined) return { notes: [] };
    if ("deny" in answer) return { notes: [], denied: { plugin, reason: answer.reason } };
    return { notes: point === "reply.out" ? [] : [{ plugin, text: answer.note }] };
  } catch (error) {
    // guard: one that may say no and cannot has said no.
    return { notes: [], ...(mayDeny && { denied: { plugin, reason: messageOf(error) } }) };
  }
}
