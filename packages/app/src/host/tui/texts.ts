/** Texts of the terminal chat. */
import { asTyped } from "../../texts/command.ts";
import { fill, type Language, type Text, type Values } from "../../texts/text.ts";

export const CHAT_TEXTS = {
  banner: { en: "margay · {workspace}", "zh-CN": "margay · {workspace}" },
  hint: {
    en: "/help commands · @ files · Esc stops · Ctrl+C twice quits",
    "zh-CN": "/help 命令 · @ 文件 · Esc 停止 · 按两次 Ctrl+C 退出",
  },
  practice: {
    en: "Practice mode: no language model is connected. I understand a few plain sentences – type “help”. Set up a model with: margay onboard",
    "zh-CN": "练习模式：没有连接语言模型，只懂几句简单的话，输入“帮助”看看。设置模型：margay onboard",
  },
  resumed: { en: "Going on with the turn that was interrupted.", "zh-CN": "正在继续被中断的那一轮。" },
  away: { en: "While you were away:", "zh-CN": "您离开期间：" },
  session: { en: "Session {key}", "zh-CN": "会话 {key}" },
  earlier: { en: "… {count} earlier items are in the journal", "zh-CN": "……更早的 {count} 项在日志里" },
  thinking: { en: "thinking", "zh-CN": "思考" },
  thinkingMore: { en: "thinking ({lines} lines, Ctrl+T shows)", "zh-CN": "思考（{lines} 行，Ctrl+T 展开）" },
  lines: { en: "… {count} more lines, Ctrl+O shows", "zh-CN": "……还有 {count} 行，Ctrl+O 展开" },
  cut: { en: "(stopped here)", "zh-CN": "（在此停止）" },
  "doing.thinking": { en: "thinking…", "zh-CN": "思考中……" },
  "doing.waiting": { en: "no answer yet, still waiting…", "zh-CN": "尚无回应，仍在等待……" },
  "doing.writing": { en: "writing…", "zh-CN": "回答中……" },
  "doing.tools": { en: "working…", "zh-CN": "执行中……" },
  "doing.tool": { en: "running {name}…", "zh-CN": "正在执行 {name}……" },
  "doing.retrying": { en: "trying again: {reason}", "zh-CN": "正在重试：{reason}" },
  "doing.asking": { en: "waiting for your answer", "zh-CN": "等待您的答复" },
  "doing.stopping": { en: "stopping…", "zh-CN": "正在停止……" },
  escStops: { en: "Esc stops", "zh-CN": "Esc 停止" },
  stopped: { en: "Stopped.", "zh-CN": "已停止。" },
  waiting: { en: "waiting: {text}", "zh-CN": "等待中：{text}" },
  "tool.asking": { en: "asks", "zh-CN": "待批准" },
  "tool.retrying": { en: "trying again", "zh-CN": "重试" },
  "tool.denied": { en: "not done", "zh-CN": "未执行" },
  "tool.interrupted": { en: "interrupted: it may or may not have happened", "zh-CN": "已中断：可能已生效，也可能没有" },
  "tool.error": { en: "failed", "zh-CN": "失败" },
  "ask.title": { en: "May I do this?", "zh-CN": "可以这样做吗？" },
  "ask.of": { en: "{index} of {count}", "zh-CN": "第 {index} 个，共 {count} 个" },
  "ask.hidden": {
    en: "It contains invisible or control characters, written out as \\u….",
    "zh-CN": "其中有不可见字符或控制字符，已写成 \\u…。",
  },
  "ask.keys": {
    en: "y + Enter: allow once · n + Enter: no · Esc: stop",
    "zh-CN": "y + 回车：允许这一次 · n + 回车：拒绝 · Esc：停止",
  },
  "ask.keysRemember": {
    en: "y + Enter: allow once · s + Enter: in this chat · always + Enter: in all chats · n + Enter: no · Esc: stop",
    "zh-CN": "y + 回车：允许这一次 · s + 回车：在此对话中 · always + 回车：在所有对话中 · n + 回车：拒绝 · Esc：停止",
  },
  "ask.covers": { en: "s and always cover exactly:", "zh-CN": "s 与 always 的确切范围：" },
  "ask.gone": { en: "That question is settled already.", "zh-CN": "这个问题已经有了结果。" },
  "aside.one": {
    en: "1 thing of this turn would run by itself and was kept aside (/quarantine)",
    "zh-CN": "本轮有 1 项会自行运行的内容被另行保存（/quarantine）",
  },
  "aside.many": {
    en: "{count} things of this turn would run by themselves and were kept aside (/quarantine)",
    "zh-CN": "本轮有 {count} 项会自行运行的内容被另行保存（/quarantine）",
  },
  "labelled.one": {
    en: "1 file of this turn counts as strangers' text (/trust files)",
    "zh-CN": "本轮有 1 个文件被视为外来内容（/trust files）",
  },
  "labelled.many": {
    en: "{count} files of this turn count as strangers' text (/trust files)",
    "zh-CN": "本轮有 {count} 个文件被视为外来内容（/trust files）",
  },
  quitAgain: { en: "Press Ctrl+C again to quit.", "zh-CN": "再按一次 Ctrl+C 退出。" },
  bye: { en: "The turn goes on the next time margay starts.", "zh-CN": "下次启动 margay 时会继续这一轮。" },
  refused: { en: "Not accepted: {reason}", "zh-CN": "未接受：{reason}" },
  failed: { en: "This did not work: {reason}", "zh-CN": "没有成功：{reason}" },
  noSessions: { en: "There are no other sessions.", "zh-CN": "没有其他会话。" },
  chooseSession: { en: "Choose a session (Enter opens, Esc closes)", "zh-CN": "选择会话（回车打开，Esc 关闭）" },
  noSession: { en: "There is no session {key}.", "zh-CN": "没有会话 {key}。" },
  "status.context": { en: "context {percent}%", "zh-CN": "上下文 {percent}%" },
  "status.tokens": { en: "in {input} out {output}", "zh-CN": "输入 {input} 输出 {output}" },
  "status.cache": { en: "cached {percent}%", "zh-CN": "缓存 {percent}%" },
  "status.practice": { en: "practice mode", "zh-CN": "练习模式" },
  "command.help": { en: "what the commands do", "zh-CN": "命令说明" },
  "command.new": { en: "start over, memory stays", "zh-CN": "重新开始，记忆保留" },
  "command.stop": { en: "stop this chat's work", "zh-CN": "停止本会话的工作" },
  "command.status": { en: "model, context use, running work", "zh-CN": "模型、上下文用量、正在进行的工作" },
  "command.model": { en: "show or change the model", "zh-CN": "查看或更换模型" },
  "command.persona": { en: "show or change the persona", "zh-CN": "查看或更换人格" },
  "command.skill": { en: "use a skill in the next message", "zh-CN": "在下一条消息里使用技能" },
  "command.skills": { en: "list the skills", "zh-CN": "列出技能" },
  "command.memory": { en: "what the long-term memory holds", "zh-CN": "查看长期记忆" },
  "command.history": { en: "what was said here last", "zh-CN": "查看最近的对话" },
  "command.compact": { en: "put the conversation into memory now", "zh-CN": "立即把对话整理进记忆" },
  "command.usage": { en: "tokens and cost of this chat", "zh-CN": "本会话的用量和费用" },
  "command.cron": { en: "the scheduled jobs", "zh-CN": "查看定时任务" },
  "command.restart": { en: "start the process again", "zh-CN": "重新启动程序" },
  "command.allow": { en: "approve a waiting call", "zh-CN": "批准等待中的调用" },
  "command.deny": { en: "refuse a waiting call", "zh-CN": "拒绝等待中的调用" },
  "command.mcp": {
    en: "MCP servers, and what waits for your approval",
    "zh-CN": "MCP 服务器，以及等待您批准的内容",
  },
  "command.rules": {
    en: "what runs unasked because somebody said so",
    "zh-CN": "因有人同意而不再询问的内容",
  },
  "command.trust": {
    en: "vouch for this conversation; /trust files: for files",
    "zh-CN": "将本会话现有内容视为可信；/trust files 用于文件",
  },
  "command.quarantine": {
    en: "what commands left that would run by itself",
    "zh-CN": "命令留下的、会自行运行的内容",
  },
  "command.resume": { en: "let schedules run again after /stop all", "zh-CN": "在 /stop all 之后恢复定时任务" },
  "command.sessions": { en: "open another session", "zh-CN": "打开其他会话" },
  "command.quit": { en: "leave; work in hand goes on next time", "zh-CN": "退出；未完成的工作下次继续" },
} as const;

export type ChatTextKey = keyof typeof CHAT_TEXTS;
export type ChatTexts = (key: ChatTextKey, values?: Values) => string;

/** @param command What the person types for `margay`. */
export function chatTexts(language: Language, command = "margay"): ChatTexts {
  const texts: Readonly<Record<ChatTextKey, Text>> = CHAT_TEXTS;
  return (key, values) => asTyped(fill(texts[key][language], values), command);
}
