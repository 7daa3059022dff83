/** What acts outside of the lane, over all conversations of an agent. */
import type { Base, Parts } from "./agent-base.ts";
import type { ControlDeps } from "./control/control.ts";
import { askAgain } from "./control/questions/ask-again.ts";
import { finished } from "./loop/tool-step.ts";

export function createControlDeps({ services: { clock, policy } }: Base, all: () => Parts): ControlDeps {
  return {
    clock,
    wake: (key) => all().wake(key),
    finished: (session, call, result, execution) =>
      finished(session, call, result, execution, all().depsOf(session.state)),
    abort: async (key, reason) => {
      await Promise.all([all().laneOf(key).abort(key, reason), all().direct.abort(key, reason)]);
    },
    interrupt: (key, reason, task) => all().laneOf(key).interrupt(key, reason, task),
    release: async (...given) => (await all().releases?.answer(...given)) === true,
    changed: (session, call) => askAgain(session, call, all().depsOf(session.state)),
    ...(policy.remember !== undefined && { remember: policy.remember.bind(policy) }),
    stopChildren: async (session) => (await all().subagents?.stopAll(session.state.id)) ?? [],
  };
}
