/** Answers of slash commands in both languages. */
import type { StoppedWork } from "../contract/commands.ts";
import type { Usage } from "../contract/message.ts";
import { listed } from "./in-markdown.ts";
import { QUARANTINE_EN, QUARANTINE_ZH, type QuarantineTexts } from "./quarantine-texts.ts";
import { RULES_EN, RULES_ZH, type RuleTexts } from "./rule-texts.ts";
import { TRUST_EN, TRUST_ZH, type TrustTexts } from "./trust-texts.ts";

export interface CommandTexts extends TrustTexts, RuleTexts {
  readonly help: string;
  readonly cleared: string;
  readonly memory: (lines: readonly string[], more: number) => string;
  readonly noMemory: string;
  readonly compact: (outcome: "started" | "nothing" | "off") => string;
  readonly usage: (usage: Usage) => string;
  readonly notAllowed: string;
  readonly unknown: (name: string, close: string | undefined) => string;
  readonly stopped: (work: StoppedWork) => string;
  readonly stoppedOne: (name: string) => string;
  readonly noSubagent: (which: string) => string;
  readonly stoppedAll: (sessions: number) => string;
  readonly resumed: (paused: boolean) => string;
  readonly restart: (possible: boolean) => string;
  readonly trusted: (was: boolean) => string;
  readonly quarantine: QuarantineTexts;
  readonly history: (rows: readonly Said[]) => string;
  readonly jobs: (lines: readonly string[] | undefined) => string;
  readonly model: (model: string, changed: boolean) => string;
  readonly noModel: (name: string) => string;
  readonly persona: (persona: string, changed: boolean) => string;
  readonly noPersona: (name: string) => string;
  readonly skills: (names: readonly string[]) => string;
  readonly skill: (name: string) => string;
  readonly noSkill: (name: string, names: readonly string[]) => string;
  readonly resolved: (verdict: "allow" | "deny") => string;
  readonly noApproval: (code: string) => string;
  readonly onlyOnce: (code: string) => string;
  readonly whichApproval: (codes: readonly string[]) => string;
}

interface Said {
  readonly role: "user" | "assistant";
  readonly text: string;
}

const EN: CommandTexts = {
  help: [
    "/help – this list",
    "/new – start afresh: the conversation so far leaves the context",
    "/stop [number] – stop what is running and take back what waits; with a number of /status one subagent",
    "/status – model, context, tokens, what is running",
    "/usage – tokens and cost of this chat so far",
    "/memory – what the long-term memory holds",
    "/compact – put the conversation so far into memory now",
    "/model [provider/model] – show or change the model of this chat",
    "/persona [name|none] – show or change the persona of this chat",
    "/skill [name] – list the skills, or have one used for your next message",
    "/skills – list the skills",
    "/history – what was said here last",
    "/cron – the scheduled jobs",
    "/allow [code] [session] (or /approve), /deny [code] – answer a request for approval",
    "/trust – vouch for everything this conversation holds now: what strangers wrote in it counts as yours",
    "/rules – what runs unasked because somebody said so; `/rules remove ID` takes one back",
    "/trust files [PATH…] – files that count as strangers' text; again with `all` or paths: vouch for them",
    "/mcp [approve NAME] – the MCP servers; what one says of itself, before the model may read it",
    "/quarantine [ID] – what commands left that would run by itself, kept aside; `/quarantine restore ID` puts it back, `delete ID` removes it",
    "/stop all – stop every chat and pause the schedules until /resume",
    "/restart – start the process again",
  ].join("\n"),
  cleared: "Started afresh. Nothing of the conversation so far is in the context.",
  memory: (lines, more) =>
    lines.length === 0
      ? "The long-term memory is empty."
      : `${lines.join("\n")}${more > 0 ? `\n… and ${more} more line${more === 1 ? "" : "s"} in memory/MEMORY.md` : ""}`,
  noMemory: "No long-term memory is kept here.",
  compact: (outcome) =>
    ({
      started: "The conversation is being put into memory. Its latest messages stay in the context.",
      nothing: "There is nothing to put into memory yet.",
      off: "No long-term memory is kept here.",
    })[outcome],
  usage: ({ input, output, cacheRead, costUsd, estimated }) =>
    [
      `Input: ${input} tokens, ${share(cacheRead, input)}% from the cache`,
      `Output: ${output} tokens`,
      `Cost: ${costUsd === undefined ? "unknown" : `$${costUsd.toFixed(4)}`}`,
      ...(estimated === true ? ["Partly estimated: a provider did not report."] : []),
    ].join("\n"),
  notAllowed: "Only an operator can do that.",
  unknown: (name, close) =>
    `There is no command /${name}.${close === undefined ? "" : ` Did you mean /${close}?`} /help lists them all.`,
  stopped: ({ turn, calls, subagents, messages }) => {
    const stopped = [
      ...(turn === undefined ? [] : [turn === "" ? "the turn in hand" : `the answer to “${turn}”`]),
      ...calls,
      ...subagents.map((name) => `subagent ${name}`),
    ];
    const taken = messages.length === 1 ? "1 waiting message" : `${messages.length} waiting messages`;
    if (stopped.length + messages.length === 0) return "Nothing is running here.";
    return [
      ...listed(stopped.length === 0 ? "Nothing was running." : "Stopped.", stopped),
      ...(messages.length === 0 ? [] : listed(`Took back ${taken}:`, messages)),
    ].join("\n");
  },
  stoppedOne: (name) => `Stopped. The others go on.\n- subagent ${name}`,
  noSubagent: (which) => `No subagent ${which} is running here. /status lists them; /stop alone ends everything.`,
  stoppedAll: (sessions) =>
    `Stopped the work of ${sessions} chat${sessions === 1 ? "" : "s"}. The schedules are paused until /resume.`,
  trusted: (was) =>
    was
      ? "What this conversation holds counts as trusted now. What is read from here on is judged anew."
      : "Nothing here is untrusted.",
  ...TRUST_EN,
  ...RULES_EN,
  quarantine: QUARANTINE_EN,
  resumed: (paused) => (paused ? "The schedules go on." : "The schedules are not paused."),
  restart: (possible) =>
    possible
      ? "Starting again. Open turns go on afterwards."
      : "Nothing here would start the process again. End it and start it yourself; open turns go on then.",
  history: (rows) =>
    rows.length === 0
      ? "Nothing was said here since the last /new."
      : rows.map(({ role, text }) => `${role === "user" ? "You" : "I"}: ${text}`).join("\n"),
  jobs: (lines) =>
    lines === undefined ? "No jobs are kept here." : lines.length === 0 ? "There are no jobs." : lines.join("\n"),
  model: (model, changed) =>
    changed ? `This chat now uses ${model}, from the next message on.` : `This chat uses ${model}.`,
  noModel: (name) => `There is no model ${name}. Give it as provider/model.`,
  persona: (persona, changed) =>
    changed
      ? `The persona of this chat is now ${persona}, from the next message on.`
      : `The persona of this chat is ${persona}.`,
  noPersona: (name) => `There is no persona ${name}.`,
  skills: (names) => (names.length === 0 ? "No skill can be used here." : `Skills: ${names.join(", ")}`),
  skill: (name) => `The skill ${name} goes before your next message.`,
  noSkill: (name, names) =>
    `There is no usable skill ${name}.${names.length === 0 ? "" : ` There are: ${names.join(", ")}`}`,
  resolved: (verdict) => (verdict === "allow" ? "Allowed, once." : "Denied."),
  onlyOnce: (code) => `This is asked about each time: /allow ${code}`,
  noApproval: (code) => `Nothing waits for approval under ${code}. It may have expired.`,
  whichApproval: (codes) =>
    codes.length === 0 ? "Nothing waits for approval here." : `Say which one: ${codes.join(", ")}`,
};

const ZH: CommandTexts = {
  help: [
    "/help – 显示本列表",
    "/new – 重新开始：之前的对话不再进入上下文",
    "/stop [编号] – 停止正在进行的工作，并收回等待中的消息；加上 /status 中的编号则只停止一个子智能体",
    "/status – 模型、上下文、用量和正在进行的工作",
    "/usage – 本会话迄今的词元用量和费用",
    "/memory – 查看长期记忆的内容",
    "/compact – 立即把之前的对话整理进记忆",
    "/model [provider/model] – 查看或更换本会话的模型",
    "/persona [名称|none] – 查看或更换本会话的性格",
    "/skill [名称] – 列出技能，或让下一条消息使用某个技能",
    "/skills – 列出技能",
    "/history – 查看这里最近的对话",
    "/cron – 查看定时任务",
    "/allow [编号] [session]（或 /approve）、/deny [编号] – 回答审批请求",
    "/trust – 为本会话现有的全部内容担保：其中他人所写的内容视同您所写",
    "/rules – 因有人同意而不再询问的内容；`/rules remove 编号` 可撤回一条",
    "/trust files [路径…] – 被视为外来内容的文件；再加 `all` 或路径：为其担保",
    "/mcp [approve 名称] – MCP 服务器；在模型读到之前查看其自我说明",
    "/quarantine [ID] – 命令留下的、会自行运行的内容，已另行保存；`/quarantine restore ID` 放回原处，`delete ID` 删除",
    "/stop all – 停止所有会话，并暂停定时任务，直到 /resume",
    "/restart – 重新启动程序",
  ].join("\n"),
  cleared: "已重新开始，之前的对话不再进入上下文。",
  memory: (lines, more) =>
    lines.length === 0
      ? "长期记忆是空的。"
      : `${lines.join("\n")}${more > 0 ? `\n……memory/MEMORY.md 中还有 ${more} 行` : ""}`,
  noMemory: "这里没有启用长期记忆。",
  compact: (outcome) =>
    ({
      started: "正在把之前的对话整理进记忆，最近的消息仍留在上下文中。",
      nothing: "还没有可以整理进记忆的内容。",
      off: "这里没有启用长期记忆。",
    })[outcome],
  usage: ({ input, output, cacheRead, costUsd, estimated }) =>
    [
      `输入：${input} 个词元，${share(cacheRead, input)}% 来自缓存`,
      `输出：${output} 个词元`,
      `费用：${costUsd === undefined ? "未知" : `$${costUsd.toFixed(4)}`}`,
      ...(estimated === true ? ["部分为估算：服务商没有报告用量。"] : []),
    ].join("\n"),
  notAllowed: "只有管理员可以这样做。",
  unknown: (name, close) =>
    `没有命令 /${name}。${close === undefined ? "" : `您是想用 /${close} 吗？`}/help 列出全部命令。`,
  stopped: ({ turn, calls, subagents, messages }) => {
    const stopped = [
      ...(turn === undefined ? [] : [turn === "" ? "进行中的回合" : `对“${turn}”的回答`]),
      ...calls,
      ...subagents.map((name) => `子智能体 ${name}`),
    ];
    if (stopped.length + messages.length === 0) return "这里没有正在进行的工作。";
    return [
      ...listed(stopped.length === 0 ? "没有正在进行的工作。" : "已停止。", stopped),
      ...(messages.length === 0 ? [] : listed(`收回了 ${messages.length} 条等待中的消息：`, messages)),
    ].join("\n");
  },
  stoppedOne: (name) => `已停止，其余的继续。\n- 子智能体 ${name}`,
  noSubagent: (which) => `这里没有正在运行的子智能体 ${which}。/status 可列出，单独的 /stop 停止全部。`,
  stoppedAll: (sessions) => `已停止 ${sessions} 个会话的工作。定时任务已暂停，直到 /resume。`,
  ...TRUST_ZH,
  ...RULES_ZH,
  quarantine: QUARANTINE_ZH,
  trusted: (was) => (was ? "本会话现有的内容已视为可信；此后读到的内容会重新判断。" : "这里没有不可信的内容。"),
  resumed: (paused) => (paused ? "定时任务已恢复。" : "定时任务没有暂停。"),
  restart: (possible) =>
    possible
      ? "正在重新启动，未完成的工作随后继续。"
      : "这里没有能重新启动程序的机制。请结束程序并自行启动，未完成的工作届时继续。",
  history: (rows) =>
    rows.length === 0
      ? "自上次 /new 以来，这里还没有对话。"
      : rows.map(({ role, text }) => `${role === "user" ? "您" : "我"}：${text}`).join("\n"),
  jobs: (lines) =>
    lines === undefined ? "这里没有启用定时任务。" : lines.length === 0 ? "没有定时任务。" : lines.join("\n"),
  model: (model, changed) => (changed ? `本会话从下一条消息起使用 ${model}。` : `本会话使用 ${model}。`),
  noModel: (name) => `没有模型 ${name}。请按 provider/model 的形式填写。`,
  persona: (persona, changed) =>
    changed ? `本会话从下一条消息起的性格是 ${persona}。` : `本会话的性格是 ${persona}。`,
  noPersona: (name) => `没有名为 ${name} 的性格。`,
  skills: (names) => (names.length === 0 ? "这里没有可用的技能。" : `技能：${names.join("、")}`),
  skill: (name) => `技能 ${name} 将放在您的下一条消息之前。`,
  noSkill: (name, names) => `没有可用的技能 ${name}。${names.length === 0 ? "" : `可用的有：${names.join("、")}`}`,
  resolved: (verdict) => (verdict === "allow" ? "已批准（仅此一次）。" : "已拒绝。"),
  onlyOnce: (code) => `此类调用每次都会询问：/allow ${code}`,
  noApproval: (code) => `没有编号为 ${code} 的待审批请求，可能已过期。`,
  whichApproval: (codes) => (codes.length === 0 ? "这里没有待审批的请求。" : `请指明是哪一个：${codes.join("、")}`),
};

export function commandTexts(language: "en" | "zh-CN"): CommandTexts {
  return language === "zh-CN" ? ZH : EN;
}

function share(part: number, whole: number): number {
  return whole === 0 ? 0 : Math.round((100 * part) / whole);
}
