/** What `/status` says about a session. */
import type { SubagentView } from "../contract/agent.ts";
import type { SessionState } from "../contract/session.ts";
import { childName } from "../session/child-name.ts";
import type { LoopDeps } from "../loop/deps.ts";

export function statusText(
  state: SessionState,
  deps: Pick<LoopDeps, "settings" | "model" | "windowOf" | "size" | "clock">,
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
  const lines =
    settings.language === "zh-CN"
      ? [
          `模型：${used.provider}/${used.model}`,
          `上下文：约 ${size} 个词元（${share}%），本段 ${state.messages.length} 条`,
          `用量：输入 ${state.usage.input}（缓存 ${cached}%），输出 ${state.usage.output}${cost(state)}`,
          state.turn === undefined
            ? children.length === 0
              ? "状态：空闲"
              : `状态：${children.length} 个子智能体在工作`
            : `状态：工作中，第 ${state.turn.steps + 1} 步，${running} 个工具在运行，${asked} 个待审批`,
          `等待：${state.pending.length} 条消息，未送达 ${state.undelivered.length} 条`,
        ]
      : [
          `Model: ${used.provider}/${used.model}`,
          `Context: about ${size} tokens (${share}%), ${state.messages.length} messages in this epoch`,
          `Tokens: ${state.usage.input} in (${cached}% cached), ${state.usage.output} out${cost(state)}`,
          state.turn === undefined
            ? children.length === 0
              ? "State: idle"
              : `State: ${children.length} subagent${children.length === 1 ? "" : "s"} at work`
            : `State: working, step ${state.turn.steps + 1}, ${running} tools running, ${asked} waiting for approval`,
          `Waiting: ${state.pending.length} messages; not delivered: ${state.undelivered.length}`,
        ];
  return [...lines, ...childLines(children, deps)].join("\n");
}

/** Numbered as `/stop NUMBER` takes them. */
function childLines(
  children: readonly SubagentView[],
  { settings: { language }, clock }: Pick<LoopDeps, "settings" | "clock">,
): readonly string[] {
  return children.map(({ label, task, steps, startedAt }, at) => {
    const seconds = Math.max(0, Math.round((clock.now() - startedAt) / 1000));
    const name = childName(label, task);
    return language === "zh-CN"
      ? `${at + 1}. ${name}：第 ${steps + 1} 步，已 ${seconds < 60 ? `${seconds} 秒` : `${Math.floor(seconds / 60)} 分钟`}（/stop ${at + 1} 可停止）`
      : `${at + 1}. ${name}: step ${steps + 1}, for ${seconds < 60 ? `${seconds} s` : `${Math.floor(seconds / 60)} min`} (/stop ${at + 1} ends it)`;
  });
}

function cost(state: SessionState): string {
  return state.usage.costUsd === undefined ? "" : `, $${state.usage.costUsd.toFixed(4)}`;
}
