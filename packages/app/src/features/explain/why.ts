/** A step of the loop in one sentence. */
import { bySomeKind, type SomeKinds } from "@margay/core/internal";
import type { AgentSettings, JournalRecord } from "@margay/core";
import type { Explained } from "@margay/core/internal";
import type { Language, Text, Values } from "../../texts/text.ts";
import { words } from "../../host/api/words.ts";

type Step = Explained["wanted"];

const TEXTS = {
  start: {
    en: "A message waited and nothing was running: start a turn.",
    "zh-CN": "有消息在等待且没有运行中的回合：开始新回合。",
  },
  deliver: {
    en: "Nobody has asked for several turns: show {count} results instead of starting another one.",
    "zh-CN": "已有多个回合无人请求：显示 {count} 个结果，不再开始新回合。",
  },
  rows: { en: "The chat has as many rows as are kept: compact it.", "zh-CN": "对话行数已达上限：压缩上下文。" },
  tokens: {
    en: "The prompt has grown near the window of the model: compact it.",
    "zh-CN": "提示词接近模型窗口：压缩上下文。",
  },
  refused: {
    en: "The provider refused the prompt as too long: compact it.",
    "zh-CN": "提供方因过长拒绝了提示词：压缩上下文。",
  },
  media: { en: "Pictures fill the prompt: compact it.", "zh-CN": "图片占满了提示词：压缩上下文。" },
  judge: { en: "The model asked for {calls}: ask the policy.", "zh-CN": "模型请求调用 {calls}：由策略判断。" },
  invoke: { en: "The policy allowed it: run {calls}.", "zh-CN": "策略已允许：运行 {calls}。" },
  recover: {
    en: "The process ended while {calls} ran: look for its receipt instead of running it again.",
    "zh-CN": "{calls} 运行时进程中断：查找其回执，而不是再次运行。",
  },
  settle: {
    en: "These calls do not run and get a result that says so: {calls}.",
    "zh-CN": "这些调用不会运行，并得到说明结果：{calls}。",
  },
  request: { en: "Everything is answered: ask the model.", "zh-CN": "一切就绪：请求模型。" },
  place: {
    en: "New messages came: put {count} before the model and ask it.",
    "zh-CN": "有新消息：将 {count} 条放入上下文并请求模型。",
  },
  again: { en: "The request before failed: attempt {attempt}.", "zh-CN": "上次请求失败：第 {attempt} 次尝试。" },
  closing: {
    en: "A limit was reached: ask the model once more, for a summary.",
    "zh-CN": "已达到上限：再请求模型一次，让其做小结。",
  },
  sleep: { en: "The next attempt is due later: wait until {time}.", "zh-CN": "稍后才能重试：等待至 {time}。" },
  wait: { en: "A person has to answer an approval, until {time}.", "zh-CN": "等待用户批准，截至 {time}。" },
  done: {
    en: "The model answered without asking for a tool: the turn is done.",
    "zh-CN": "模型已回答且不再调用工具：回合完成。",
  },
  limit: { en: "The limit of {limit} was reached: the turn ends.", "zh-CN": "已达到 {limit} 次的上限：回合结束。" },
  cancelled: { en: "A person stopped it: the turn ends.", "zh-CN": "用户已停止：回合结束。" },
  failed: { en: "It cannot go on ({code}): the turn ends.", "zh-CN": "无法继续（{code}）：回合结束。" },
  budget: { en: "A budget has no room for another request: the turn ends.", "zh-CN": "预算不足以再次请求：回合结束。" },
  rest: { en: "There was nothing to do.", "zh-CN": "无事可做。" },
  answered: { en: "The model answered.", "zh-CN": "模型已回答。" },
  asks: { en: "The model answered and asks for {calls}.", "zh-CN": "模型已回答，并请求调用 {calls}。" },
  length: { en: "The model answered up to the output limit.", "zh-CN": "模型的回答到达输出上限。" },
  refusal: { en: "The model refused.", "zh-CN": "模型拒绝回答。" },
  stopped: { en: "A person stopped the answer.", "zh-CN": "用户停止了回答。" },
  cut: { en: "The answer broke off; what had come stays.", "zh-CN": "回答中断；已收到的部分保留。" },
  retried: {
    en: "The request failed ({code}); the next attempt is due at {time}.",
    "zh-CN": "请求失败（{code}）；下次尝试在 {time}。",
  },
  gaveUp: { en: "The request failed ({code}) and is not repeated.", "zh-CN": "请求失败（{code}），不再重试。" },
  finished: { en: "{calls} ended: {status}.", "zh-CN": "{calls} 结束：{status}。" },
  toolRetried: {
    en: "Attempt {attempt} of a tool failed ({code}); it is tried again.",
    "zh-CN": "工具第 {attempt} 次尝试失败（{code}），将重试。",
  },
} as const satisfies Record<string, Text>;

/** What a commit is that the step before led to: it has no reason of its own. */
export function outcomeOf(records: readonly JournalRecord[], language: Language): string {
  const say = (name: keyof typeof TEXTS, values?: Values): string => words(language, TEXTS[name], values);
  // Beside an outcome stands what follows from it.
  return records
    .map((record) => bySomeKind(OUTCOMES, record, say, language))
    .filter((text) => text !== undefined)
    .join(" ");
}

const OUTCOMES: SomeKinds<JournalRecord, [say: Say, language: Language], string> = {
  "model.responded": responseText,
  "model.failed": ({ error: { code }, retryAt }, say) =>
    retryAt === undefined ? say("gaveUp", { code }) : say("retried", { code, time: new Date(retryAt).toISOString() }),
  "tool.finished": ({ message: { name, status } }, say) => say("finished", { calls: name, status }),
  "tool.failed": ({ attempt, error: { code } }, say) => say("toolRetried", { attempt, code }),
};

type Say = (name: keyof typeof TEXTS, values?: Values) => string;

function responseText(
  { message: { parts, finish } }: Extract<JournalRecord, { readonly type: "model.responded" }>,
  say: Say,
  language: Language,
): string {
  const calls = parts.flatMap((part) => (part.type === "tool-call" ? [part.name] : []));
  if (calls.length > 0) return say("asks", { calls: listOf(calls, language) });
  switch (finish) {
    case "length":
    case "refusal":
    case "cut":
      return say(finish);
    case "cancelled":
      return say("stopped");
    case "stop":
    case "tool-calls":
      return say("answered");
  }
}

function listOf(names: readonly string[], language: Language): string {
  return names.join(language === "en" ? ", " : "、");
}

export function whyOf(step: Step, settings: AgentSettings, language: Language): string {
  const say = (name: keyof typeof TEXTS, values?: Values): string => words(language, TEXTS[name], values);
  const listed = (names: readonly string[]): string => listOf(names, language);
  switch (step.do) {
    case "start":
    case "rest":
      return say(step.do);
    case "deliver":
      return say("deliver", { count: step.results.length });
    case "compact":
      return say(step.because);
    case "judge":
      return say("judge", { calls: listed(step.calls.map(({ name }) => name)) });
    case "invoke":
      return say("invoke", { calls: listed(step.calls.map(({ call }) => call.name)) });
    case "recover":
      return say("recover", { calls: step.call.call.name });
    case "settle":
      return say("settle", { calls: listed(step.calls.map(({ call }) => call.name)) });
    case "request":
      if (step.closing) return say("closing");
      if (step.attempt > 1) return say("again", { attempt: step.attempt });
      return step.place.length > 0 ? say("place", { count: step.place.length }) : say("request");
    case "sleep":
    case "wait":
      return say(step.do, { time: new Date(step.until).toISOString() });
    case "end":
      return say(step.reason, { limit: step.limit ?? settings.maxIterations, code: step.error?.code ?? "?" });
  }
}
