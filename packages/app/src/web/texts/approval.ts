/** Why a call asks, what could go wrong, and what a yes that is kept covers. */
import { texts, type Text } from "./texts.ts";

const APPROVAL = {
  "why.exec without sandbox": { en: "Commands run without a sandbox here.", zh: "此处的命令不在沙箱中运行。" },
  "why.exec deny list": {
    en: "Commands of this kind are asked about each time.",
    zh: "这类命令每次都会询问。",
  },
  "why.write protected": {
    en: "The file steers the agent, or runs by itself.",
    zh: "该文件会影响代理的行为，或会自行运行。",
  },
  "why.write outside": { en: "The file is outside the workspace.", zh: "该文件在工作区之外。" },
  "why.message elsewhere": {
    en: "The message goes to another chat than this one.",
    zh: "该消息会发送到其他对话。",
  },
  "why.mcp write": {
    en: "The tool of an MCP server may change things there.",
    zh: "MCP 服务器的工具可能会更改其中的内容。",
  },
  "why.network": {
    en: "The command runs and waits for this connection. What it sends there leaves this machine.",
    zh: "命令正在运行，并在等待此连接。它发送到那里的内容会离开本机。",
  },
  "risk.untrusted-content": {
    en: "Somebody else's text was read before: the idea may be theirs.",
    zh: "此前读过他人的文字：这个主意可能来自他们。",
  },
  "risk.title": { en: "What could go wrong", zh: "可能的风险" },
  "risk.no-sandbox": {
    en: "It can read, change and send everything your account can.",
    zh: "它能读取、更改和发送您账户可及的一切。",
  },
  "risk.destructive": { en: "It may destroy data or stop the machine.", zh: "可能会破坏数据或使机器停机。" },
  "risk.deletes-folders": {
    en: "It deletes whole folders without asking again.",
    zh: "它会直接删除整个文件夹，不再询问。",
  },
  "risk.formats-disk": { en: "It formats or partitions a disk.", zh: "它会格式化磁盘或更改分区。" },
  "risk.writes-disk": { en: "It writes over a disk or a system file.", zh: "它会覆盖磁盘或系统文件。" },
  "risk.opens-rights": { en: "It lets everybody change these files.", zh: "它会让所有人都能更改这些文件。" },
  "risk.stops-machine": { en: "It stops or restarts the machine.", zh: "它会关闭或重启机器。" },
  "risk.fork-bomb": { en: "It starts processes without an end.", zh: "它会无止境地启动进程。" },
  "risk.own-list": {
    en: "It fits a pattern of tools.exec.denyPatterns in your settings.",
    zh: "它符合您设置中 tools.exec.denyPatterns 的某个模式。",
  },
  "risk.instructions": { en: "It changes what the agent obeys from now on.", zh: "它会改变代理今后遵循的内容。" },
  "risk.outside-workspace": { en: "No version of the file is kept.", zh: "不会保留该文件的旧版本。" },
  "risk.reaches-others": { en: "Somebody else reads it at once.", zh: "其他人会立即看到。" },
  "risk.outside-service": { en: "What it does there cannot be undone here.", zh: "它在那里的操作无法在此撤销。" },
  "risk.hidden-characters": {
    en: "It has characters that are usually not seen; they are written out above.",
    zh: "其中有通常不可见的字符，上面已将其写出。",
  },
  folder: { en: "Folder", zh: "目录" },
  session: { en: "Allow in this chat", zh: "在此对话中允许" },
  always: { en: "Always allow…", zh: "始终允许…" },
  "session.hint": {
    en: "Calls that are exactly the same run unasked in this chat, until /new.",
    zh: "在此对话中，完全相同的调用不再询问，直到 /new。",
  },
  "always.title": { en: "This rule is saved for all chats", zh: "将为所有对话保存此规则" },
  "always.why": {
    en: "Calls that fit it exactly run unasked, except in work that runs without you. Approvals lists it and takes it back.",
    zh: "完全符合的调用不再询问，但无人在场的工作除外。可在“审批”页查看和撤回。",
  },
  "always.network": {
    en: "Commands reach this host and port unasked from now on, also in work that runs without you. Approvals lists it and takes it back.",
    zh: "此后命令连接此主机和端口不再询问，无人在场的工作也一样。可在“审批”页查看和撤回。",
  },
  "went-on": {
    en: "The command went on without it. A yes counts for the next call of this turn.",
    zh: "命令已在未获答复的情况下继续。现在同意，将用于本轮的下一次调用。",
  },
  "always.save": { en: "Save and allow", zh: "保存并允许" },
  back: { en: "Back", zh: "返回" },
  late: {
    en: "Not answered in time: the model was told, and the turn goes on.",
    zh: "未及时答复：已告知模型，本轮继续。",
  },
  elsewhere: { en: "It was settled elsewhere.", zh: "已在别处处理。" },
  "kept.session": { en: "in this chat", zh: "在此对话中" },
  "kept.always": { en: "in all chats", zh: "在所有对话中" },
} as const satisfies Readonly<Record<string, Text>>;

export type ApprovalText = keyof typeof APPROVAL;
export const t = texts<ApprovalText>(APPROVAL);

/** The words for a rule or a risk; undefined for one this page does not know. */
export function known(kind: "why" | "risk", name: string): string | undefined {
  const key = `${kind}.${name}`;
  return key in APPROVAL ? t(key as ApprovalText) : undefined; // just looked at
}
