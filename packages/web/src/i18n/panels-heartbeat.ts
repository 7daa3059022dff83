/** Texts of heartbeat and greeting. */
import { speak } from "./panels.ts";

const TEXTS = {
  tabs: ["Heartbeat and greeting", "心跳与问候"],
  heartbeat: ["Heartbeat", "心跳"],
  greeting: ["Greeting", "问候"],
  why: [
    "At an interval margay looks at HEARTBEAT.md. Only when it lists an open task does it ask the model; an empty list costs nothing.",
    "margay 会定期查看 HEARTBEAT.md。只有列出未完成的任务时才会请求模型；空列表没有费用。",
  ],
  on: ["Switched on", "启用"],
  interval: ["Every … minutes", "间隔（分钟）"],
  target: ["Results go to", "结果发往"],
  targetNone: ["no chat yet: write to margay once", "还没有会话：请先给 margay 发一条消息"],
  next: ["Next look: {relative}, {exact}", "下次查看：{relative}，{exact}"],
  noNext: ["No next look: it is off, paused, or no model is set up.", "没有下次：已关闭、暂停，或未设置模型。"],
  open: ["{n} open {n|task|tasks}", "{n} 个未完成任务"],
  check: ["Would it call the model now?", "现在会请求模型吗？"],
  yes: ["Yes: {because}", "会：{because}"],
  no: ["No: {because}", "不会：{because}"],
  tasks: ["HEARTBEAT.md", "HEARTBEAT.md"],
  tasksWhy: ["One task per line, such as “- [ ] water the plants”.", "每行一个任务，例如“- [ ] 给植物浇水”。"],
  runs: ["Looks that asked the model", "请求过模型的查看"],
  noRuns: [
    "None yet. Looks without an open task ask nothing and are not listed.",
    "还没有。没有未完成任务的查看不会请求模型，也不列出。",
  ],
  result_skip: ["nothing to do", "无事可做"],
  result_running: ["running", "运行中"],
  result_ok: ["told you", "已告知"],
  result_silent: ["nothing to say", "无需告知"],
  result_failed: ["failed", "失败"],
  result_cancelled: ["stopped", "已停止"],
  greetWhy: [
    "A short word when you have been away for a while, never in the quiet hours.",
    "在您离开一段时间后发一句简短的问候，安静时段内不会发送。",
  ],
  idle: ["After … hours without a message", "多少小时没有消息之后"],
  perDay: ["At most … a day", "每天最多几次"],
  quiet: ["Quiet hours", "安静时段"],
  quietFrom: ["from", "从"],
  quietTo: ["to", "到"],
  quietBand: ["Quiet from {from}:00 to {to}:00 ({zone})", "安静时段 {from}:00 到 {to}:00（{zone}）"],
  sent: ["{n} of {max} sent today", "今天已发送 {n} / {max}"],
  slot: ["Earliest next: {relative}, {exact}", "最早的下次：{relative}，{exact}"],
  noSlot: [
    "None is due: it is off, paused, no model is set up, or there is no chat.",
    "没有计划：已关闭、暂停、未设置模型或没有会话。",
  ],
  greetChat: ["Chat (empty: where you wrote last)", "会话（留空则为您最近写过的）"],
  preview: ["Preview", "预览"],
  previewWhy: ["Asks the model once. Nothing is sent.", "请求模型一次，不会发送。"],
  previewCost: ["cost {cost}, not sent", "费用 {cost}，未发送"],
  dropped: ["It would not be sent: empty or too long.", "不会发送：内容为空或过长。"],
  saved: ["Saved.", "已保存。"],
} as const;

export const t = speak(TEXTS);
