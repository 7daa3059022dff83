/** The conversations that turns open, over the parts of an agent. */
import type { Base, Parts } from "./agent-base.ts";
import { control } from "./control/control.ts";
import { createSubagents, type Subagents } from "./subagents/subagents.ts";

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
