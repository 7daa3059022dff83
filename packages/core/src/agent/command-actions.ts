/** What slash commands may do to a session. */
import type { AgentOptions } from "../contract/agent.ts";
import type { CommandActions } from "../contract/commands.ts";
import type { ModelRef } from "../contract/message.ts";
import type { Session } from "../contract/session.ts";
import type { ConsolidationLanes } from "./consolidations.ts";
import { hasRows } from "./consolidate-behind.ts";
import type { LoopDeps } from "./deps.ts";
import { control, resolve, type ControlDeps } from "./control.ts";
import type { Halt } from "./halt.ts";
import { statusText } from "./status.ts";

export interface ActionDeps {
  readonly deps: () => LoopDeps;
  readonly controlDeps: ControlDeps;
  readonly options: Pick<
    AgentOptions,
    "memory" | "resolveModel" | "hasPersona" | "mayApprove" | "skillNames" | "jobLines" | "restart"
  >;
  readonly halt: Halt;
  readonly consolidations: Pick<ConsolidationLanes, "wake" | "wakeAll">;
  /** Of the whole agent: ends when it does. */
  readonly signal: AbortSignal;
}

export function createCommandActions({
  deps,
  controlDeps,
  options,
  halt,
  consolidations,
  signal,
}: ActionDeps): CommandActions {
  return {
    language: () => deps().settings.language,
    names: ["margay", "margay_bot"],
    stop: (session, by) => control(session, { type: "stop", withdraw: true }, by, controlDeps),
    clear: async (session, by, also) => {
      await control(session, { type: "stop", withdraw: true }, by, controlDeps);
      await turnEnded(session);
      // Cleared at once and durably; what was said goes to memory behind it, from the journal (R181).
      await session.commit({ type: "session.cleared", by, archive: options.memory !== undefined }, ...also());
      consolidations.wake(session.state.key);
    },
    memory: () => options.memory?.facts() ?? Promise.resolve(undefined),
    compact: (session) => {
      if (options.memory === undefined) return "off";
      if (!hasRows(session) || session.state.answered !== undefined) return "nothing";
      consolidations.wakeAll(session.state.key);
      return "started";
    },
    resolve: async (session, action, by, also) => (await resolve(session, action, by, controlDeps, also)).done,
    status: (session) => statusText(session.state, deps()),
    model: async (session, name) => {
      if (name === undefined) return refText(session.state.model ?? deps().model);
      const chosen = options.resolveModel === undefined ? parseModel(name) : options.resolveModel(name);
      if (chosen === undefined) return undefined;
      await session.commit({ type: "session.configured", model: chosen, reset: false });
      return refText(chosen);
    },
    persona: async (session, name) => {
      if (name === undefined) return session.state.persona ?? "none";
      if (name !== "none" && options.hasPersona?.(name) !== true) return undefined;
      await session.commit({ type: "session.configured", persona: name === "none" ? null : name, reset: true });
      return name;
    },
    skill: async (session, name, by) => {
      const names = (await options.skillNames?.(signal)) ?? [];
      const requested = name !== undefined && names.includes(name);
      if (requested) await session.commit({ type: "skill.requested", name, by });
      return { requested, names };
    },
    stopAll: async (by) => (await halt.stopAll(by)).turns,
    resume: halt.release,
    jobs: () => options.jobLines?.() ?? Promise.resolve(undefined),
    restart: () => {
      options.restart?.();
      return options.restart !== undefined;
    },
    mayApprove: options.mayApprove ?? (() => true),
  };
}

/** Resolves when the session's turn, if any, has ended. */
function turnEnded(session: Session): Promise<void> {
  if (session.state.turn === undefined) return Promise.resolve();
  return new Promise((ended) => {
    const end = session.subscribe((event) => {
      if (event.type !== "turn.ended") return;
      end();
      ended();
    });
  });
}

/** `provider/model`; the model part may hold slashes. */
export function parseModel(name: string): ModelRef | undefined {
  const at = name.indexOf("/");
  return at > 0 && at < name.length - 1 ? { provider: name.slice(0, at), model: name.slice(at + 1) } : undefined;
}

export function refText(ref: ModelRef): string {
  return `${ref.provider}/${ref.model}`;
}
