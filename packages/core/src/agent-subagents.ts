/** The subagents of an agent: conversations that its turns open. */
import { control } from "./control/control.ts";
import { createSubagents, type Subagents } from "./subagents/subagents.ts";
import type { Base, Parts } from "./agent-base.ts";

export function agentSubagents(
  { options, services: { clock, log } }: Base,
  parts: Pick<Parts, "depsOf" | "connected" | "recovery" | "direct" | "inbox" | "controlDeps">,
): Subagents | undefined {
  if (options.subagents === undefined) return undefined;
  const { open, find, byId } = parts.connected;
  return createSubagents({
    options: options.subagents,
    agents: options.people?.agents,
    deps: parts.depsOf,
    drive: parts.direct.drive,
    rested: parts.recovery.rested,
    open,
    find,
    byId,
    accept: parts.inbox.accept,
    stop: (session, by) => control(session, { type: "stop", withdraw: true }, by, parts.controlDeps),
    clock,
    log,
  });
}
