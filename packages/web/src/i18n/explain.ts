/** Texts of the page that explains a turn. */
import { texts, type Text } from "./texts.ts";

const TEXTS = {
  title: { en: "Explain a turn", zh: "解释一轮" },
  transcript: { en: "Conversation of a subagent", zh: "子代理的对话" },
  replays: { en: "Replaying the journal gives exactly these steps", zh: "重放日志得到完全相同的步骤" },
  differs: { en: "Replaying the journal gives other steps", zh: "重放日志得到不同的步骤" },
  none: { en: "This turn has no steps.", zh: "这一轮没有步骤。" },
  outcome: { en: "What came of it", zh: "结果" },
  "step.start": { en: "Turn began", zh: "开始" },
  "step.compact": { en: "Summarized older messages", zh: "摘要较早的消息" },
  "step.judge": { en: "Judged a call", zh: "判断调用" },
  "step.invoke": { en: "Ran a tool", zh: "运行工具" },
  "step.recover": { en: "Recovered", zh: "恢复" },
  "step.settle": { en: "Settled calls", zh: "结算调用" },
  "step.request": { en: "Asked the model", zh: "询问模型" },
  "step.sleep": { en: "Waited before a retry", zh: "等待重试" },
  "step.wait": { en: "Waited for a person", zh: "等待用户" },
  "step.end": { en: "Turn ended", zh: "结束" },
  "step.rest": { en: "Came from outside", zh: "来自外部" },
  tokens: { en: "{n} new, {cached} from the cache, {output} out", zh: "新增 {n}，缓存 {cached}，输出 {output}" },
  placed: { en: "{n} message entered the context|{n} messages entered the context", zh: "{n} 条消息进入上下文" },
  miss: { en: "Not from the cache: {cause}", zh: "未命中缓存：{cause}" },
  rule: { en: "{verdict} by the rule {rule}", zh: "{verdict}（规则 {rule}）" },
  "verdict.allow": { en: "allowed", zh: "允许" },
  "verdict.deny": { en: "denied", zh: "拒绝" },
  "verdict.ask": { en: "asked", zh: "询问" },
  prompt: { en: "Exact prompt", zh: "确切的提示" },
  "prompt.title": { en: "What was sent to the model", zh: "发送给模型的内容" },
  "prompt.system": { en: "System prompt", zh: "系统提示" },
  "prompt.tools": { en: "Tools", zh: "工具" },
  "prompt.messages": { en: "Messages", zh: "消息" },
  "no-replay": { en: "replay differs", zh: "重放不同" },
} as const satisfies Readonly<Record<string, Text>>;

export const t = texts<keyof typeof TEXTS>(TEXTS);
