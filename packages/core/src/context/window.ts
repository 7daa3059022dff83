/** The model of a session, its window and its limits, which need not be those of the agent. */
import type { AgentSettings } from "../contract/agent-options.ts";
import type { ModelRef } from "../contract/message.ts";
import type { SessionLimits } from "../contract/base.ts";
import type { SessionState } from "../contract/session.ts";

/** A session keeps its own model; a turn keeps the one it began with. */
export function modelOf(
  { model, turn, frozenFor }: Pick<SessionState, "model" | "turn" | "frozenFor">,
  fallback: ModelRef,
): ModelRef {
  return (turn === undefined ? undefined : frozenFor) ?? model ?? fallback;
}

/** Whatever is measured against the window is measured against the one of this model. */
export function inWindowOf<
  Deps extends { readonly settings: AgentSettings; readonly windowOf: (model: ModelRef) => number },
>(deps: Deps, model: ModelRef): Deps {
  const contextWindow = deps.windowOf(model);
  return contextWindow === deps.settings.contextWindow
    ? deps
    : { ...deps, settings: { ...deps.settings, contextWindow } };
}

/** The settings of a session that has limits of its own. */
export function limited(settings: AgentSettings, limits: SessionLimits | undefined): AgentSettings {
  return limits === undefined ? settings : { ...settings, ...limits };
}
