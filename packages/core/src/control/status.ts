/** What `/status` says about a session. */
import type { SubagentView } from "../contract/agent.ts";
import type { SessionState } from "../contract/session.ts";
import { childName } from "../lib/child-name.ts";
import type { LoopDeps } from "../loop/deps.ts";
import { answers, type SayAnswer } from "./texts.ts";

export function statusText(
  state: SessionState,
  deps: Pick<LoopDeps, "settings" | "model" | "agent" | "windowOf" | "size" | "clock">,
  children: readonly SubagentView[] = [],
): string {
  const used = state.model ?? deps.model;
  const { settings } = deps;
  const size = deps.size(state);
  const share = Math.round((100 * size) / deps.windowOf(used));
  const cached = state.usage.input === 0 ? 0 : Math.round((100 * state.usage.cacheRead) / state.usage.input);
  const running = state.turn === undefined ? 0 : state.turn.calls.filter((item) => item.status === "started").length;
  const asked =
    (state.turn?.calls.filter((item) => item.status === "asked").length ?? 0) + (state.turn?.questions?.length ?? 0);
  const say = answers(settings.language);
  const { turn, usage, messages, pending, undelivered } = state;
  const { agent } = deps;
  const waits = (why: "uncertain" | "window"): number => state.outbox.filter(({ held }) => held === why).length;
  const [held, uncertain] = [waits("window"), waits("uncertain")];
  const lines = [
    ...(agent === undefined ? [] : [say("status.agent", { agent: agent.agent, rule: agent.rule })]),
    say("status.model", { model: `${used.provider}/${used.model}` }),
    say("status.context", { size, share, messages: messages.length }),
    say("status.tokens", { input: usage.input, cached, output: usage.output, cost: cost(state) }),
    turn !== undefined
      ? say("status.working", { step: turn.steps + 1, running, asked })
      : children.length === 0
        ? say("status.idle")
        : say("status.children", { n: children.length }),
    say("status.waiting", { pending: pending.length, undelivered: undelivered.length }),
    ...(held === 0 ? [] : [say("status.held", { n: held })]),
    ...(uncertain === 0 ? [] : [say("status.uncertain", { n: uncertain })]),
  ];
  return [...lines, ...childLines(children, say, deps.clock)].join("\n");
}

/** Numbered as `/stop NUMBER` takes them. */
function childLines(children: readonly SubagentView[], say: SayAnswer, clock: LoopDeps["clock"]): readonly string[] {
  return children.map(({ label, task, steps, startedAt }, at) => {
    const seconds = Math.max(0, Math.round((clock.now() - startedAt) / 1000));
    const time =
      seconds < 60 ? say("status.seconds", { n: seconds }) : say("status.minutes", { n: Math.floor(seconds / 60) });
    return say("status.child", { at: at + 1, name: childName(label, task), step: steps + 1, time });
  });
}

function cost(state: SessionState): string {
  return state.usage.costUsd === undefined ? "" : `, $${state.usage.costUsd.toFixed(4)}`;
}
