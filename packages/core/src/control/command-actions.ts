/** What slash commands may do to a session. */
import type { SubagentView } from "../contract/agent.ts";
import type { AgentOptions } from "../contract/agent-options.ts";
import type { SessionId } from "../contract/base.ts";
import type { CommandActions } from "./actions.ts";
import type { ModelRef } from "../contract/message.ts";
import type { SessionState } from "../contract/session.ts";
import { isGroup } from "../lib/audience.ts";
import { hasRows } from "../session/has-rows.ts";
import { whenState } from "../session/idle.ts";
import type { Consolidations, LoopDeps } from "../loop/deps.ts";
import { createCodeLock } from "./approvals.ts";
import { control, resolve, type ControlDeps } from "./control.ts";
import type { EmergencyStop } from "./emergency-stop.ts";
import { childName } from "../lib/child-name.ts";
import { statusText } from "./status.ts";

export interface Children {
  list(parent: SessionId): readonly SubagentView[];
  /** Undefined where there are none. */
  cancel(key: string): Promise<boolean> | undefined;
}
export interface ActionDeps {
  readonly deps: () => LoopDeps;
  /** Of the room of a conversation. */
  readonly depsOf: (state: SessionState) => LoopDeps;
  readonly controlDeps: ControlDeps;
  readonly options: Pick<
    AgentOptions,
    | "people"
    | "resolveModel"
    | "hasPersona"
    | "mayApprove"
    | "whoami"
    | "link"
    | "skillNames"
    | "jobLines"
    | "labelledFiles"
    | "serverReviews"
    | "savedRules"
    | "quarantine"
    | "restart"
  >;
  readonly emergencyStop: EmergencyStop;
  readonly consolidations: Pick<Consolidations, "wake" | "wakeAll">;
  readonly children: Children;
  /** Of the whole agent: ends when it does. */
  readonly signal: AbortSignal;
}

export function createCommandActions({
  deps,
  depsOf,
  controlDeps,
  options,
  emergencyStop,
  consolidations,
  children,
  signal,
}: ActionDeps): CommandActions {
  return {
    language: () => deps().settings.language,
    names: ["margay", "margay_bot"],
    // In a group what waits is others' too.
    stop: (session, by, also) =>
      control(session, { type: "stop", withdraw: !isGroup(session.state.audience) }, by, controlDeps, also),
    clear: async (session, by, also) => {
      // Also what others wait for in a group: the next turn would begin before the context is empty.
      await control(session, { type: "stop", withdraw: true }, by, controlDeps);
      const running = session.state.turn?.id;
      if (running !== undefined) await whenState(session, ({ turn }) => turn?.id !== running);
      // Cleared at once and durably; what was said goes to memory behind it, from the journal.
      const archive = depsOf(session.state).memory !== undefined;
      await session.commit({ type: "session.cleared", by, archive }, ...also());
      consolidations.wake(session.state.key);
    },
    memory: ({ state }) => depsOf(state).memory?.facts() ?? Promise.resolve(undefined),
    compact: (session) => {
      if (depsOf(session.state).memory === undefined) return "off";
      if (!hasRows(session) || session.state.answered !== undefined) return "nothing";
      consolidations.wakeAll(session.state.key);
      return "started";
    },
    resolve: async (session, action, by, also) => (await resolve(session, action, by, controlDeps, also)).done,
    stopOne: async (session, which) => {
      const running = children.list(session.state.id);
      const found = running[Number(which) - 1] ?? running.find(({ label }) => label === which);
      if (found === undefined || (await children.cancel(found.key)) !== true) return undefined;
      return childName(found.label, found.task);
    },
    status: (session) => statusText(session.state, depsOf(session.state), children.list(session.state.id)),
    model: async (session, name) => {
      if (name === undefined) return refText(session.state.model ?? depsOf(session.state).model);
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
    stopAll: async (by) => (await emergencyStop.stopAll(by)).turns,
    resume: emergencyStop.release,
    ...(options.labelledFiles !== undefined && { files: options.labelledFiles }),
    ...(options.serverReviews !== undefined && { servers: options.serverReviews }),
    ...(options.savedRules !== undefined && { rules: options.savedRules }),
    ...(options.quarantine !== undefined && { quarantine: options.quarantine }),
    jobs: ({ state }) => options.jobLines?.(state.audience) ?? Promise.resolve(undefined),
    restart: () => {
      options.restart?.();
      return options.restart !== undefined;
    },
    ...(options.people !== undefined && { join: options.people.join, people: options.people }),
    ...(options.people?.agents !== undefined && { agents: options.people.agents }),
    ...(options.whoami !== undefined && { whoami: options.whoami }),
    ...(options.link !== undefined && { link: options.link }),
    speaker: options.people?.speaker ?? (() => ({ role: "operator" })),
    mayApprove: options.mayApprove ?? (() => true),
    codes: createCodeLock(controlDeps.clock),
  };
}

/** `provider/model`; the model part may hold slashes. */
export function parseModel(name: string): ModelRef | undefined {
  const at = name.indexOf("/");
  return at > 0 && at < name.length - 1 ? { provider: name.slice(0, at), model: name.slice(at + 1) } : undefined;
}

export function refText(ref: ModelRef): string {
  return `${ref.provider}/${ref.model}`;
}
