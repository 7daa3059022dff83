/** Answers of `/mcp` in both languages. What servers say stands in fences that it cannot end. */
import type { ReviewedServer, ServerReview, TextChange, ToolChange } from "../contract/server-review.ts";
import type { Effect } from "../contract/tool.ts";
import { cutAt } from "../lib/text.ts";
import { visible } from "../lib/visible.ts";

/** Of each text, and tools that are shown: a chat is no place to read a book. */
const MAX_CHARS = 600;
const MAX_TOOLS = 20;

interface ServerTexts {
  readonly list: (servers: readonly ReviewedServer[]) => string;
  readonly review: (name: string, review: ServerReview, code: string) => string;
  readonly approved: (name: string) => string;
  readonly refused: (name: string) => string;
  readonly changed: (name: string) => string;
  readonly nothing: (name: string) => string;
  readonly unknown: (name: string) => string;
  readonly silent: (name: string) => string;
  readonly usage: string;
}

interface Words {
  readonly kinds: Readonly<Record<ToolChange["kind"], string>>;
  readonly effects: Readonly<Record<Effect, string>>;
  readonly comma: string;
  readonly instructions: string;
  readonly before: string;
  readonly now: string;
  readonly parameters: string;
  readonly cut: (count: number) => string;
  readonly more: (count: number) => string;
}

function reviewLines({ tools, instructions }: ServerReview, words: Words): readonly string[] {
  const left = tools.length - MAX_TOOLS;
  return [
    ...(instructions === undefined ? [] : [words.instructions, ...changeLines(instructions, words)]),
    ...tools.slice(0, MAX_TOOLS).flatMap((change) => toolLines(change, words)),
    ...(left > 0 ? [words.more(left)] : []),
  ];
}

function toolLines({ tool, kind, effect, parameters, ...description }: ToolChange, words: Words): readonly string[] {
  const said = [effect?.before, effect?.after].flatMap((one) => (one === undefined ? [] : [words.effects[one]]));
  return [
    `${inline(tool)} (${[words.kinds[kind], ...(said.length === 0 ? [] : [said.join(" → ")])].join(words.comma)})`,
    ...changeLines(description, words),
    ...(parameters === undefined ? [] : [words.parameters, ...changeLines(parameters, words)]),
  ];
}

function changeLines({ before, after }: TextChange, words: Words): readonly string[] {
  if (before === after) return [];
  return [
    ...(before === undefined || before === "" ? [] : [words.before, fenced(before, words)]),
    ...(after === undefined || after === ""
      ? []
      : [...(before === undefined ? [] : [words.now]), fenced(after, words)]),
  ];
}

function fenced(text: string, words: Words): string {
  const shown = visible(text);
  const left = shown.length - MAX_CHARS;
  const cut = left > 0 ? `${cutAt(shown, MAX_CHARS)}…` : shown;
  const fence = "`".repeat(Math.max(3, longestRun(cut) + 1));
  return `${fence}\n${cut}\n${fence}${left > 0 ? `\n${words.cut(left)}` : ""}`;
}

function inline(name: string): string {
  const text = visible(name).replaceAll("\n", "\\n");
  const fence = "`".repeat(longestRun(text) + 1);
  return longestRun(text) === 0 ? `${fence}${text}${fence}` : `${fence} ${text} ${fence}`;
}

function longestRun(text: string): number {
  return Math.max(0, ...(text.match(/`+/g) ?? []).map((run) => run.length));
}

const EN_WORDS: Words = {
  kinds: { added: "new", removed: "gone", changed: "changed" },
  effects: {
    read: "says that it only reads: runs unasked",
    idempotent: "says that it may be repeated",
    write: "may change things",
  },
  comma: ", ",
  instructions: "Instructions:",
  before: "before:",
  now: "now:",
  parameters: "parameters:",
  cut: (count) =>
    `${count} more characters are not shown here: \`margay mcp approve NAME --full\` or the page MCP shows them.`,
  more: (count) => `and ${count} more tools: \`margay mcp approve NAME\` or the page MCP shows them.`,
};

const EN: ServerTexts = {
  list: (servers) =>
    servers.length === 0
      ? "There is no MCP server."
      : servers
          .map(({ name, state, tools, standing }) => {
            const waits = standing === "approved" ? "" : `, waits for review: \`/mcp approve ${name}\``;
            return `- ${inline(name)}: ${STATES_EN[state] ?? state}, ${tools === 1 ? "1 tool" : `${tools} tools`}${waits}`;
          })
          .join("\n"),
  review: (name, review, code) =>
    [
      review.isFirst
        ? `${inline(name)} says this of itself. Once approved, the model reads it as it reads your own instructions.`
        : `${inline(name)} says other things of itself than those you approved.`,
      ...reviewLines(review, EN_WORDS),
      `\`/mcp approve ${name} ${code}\` approves exactly this, \`/mcp refuse ${name} ${code}\` keeps it out.`,
    ].join("\n"),
  approved: (name) => `${inline(name)} is approved: its tools are offered from the next message on.`,
  refused: (name) => `Not approved. ${inline(name)} stays suspended.`,
  changed: (name) =>
    `What ${inline(name)} says is not what was shown any more: \`/mcp approve ${name}\` shows it anew.`,
  nothing: (name) => `Nothing of ${inline(name)} waits for review.`,
  unknown: (name) => `There is no MCP server ${inline(name)}. /mcp lists them.`,
  silent: (name) =>
    `${inline(name)} does not answer, so there is nothing to look at: \`margay mcp test ${name}\` says why.`,
  usage: "`/mcp` lists the servers; `/mcp approve NAME` shows what one says of itself.",
};
const STATES_EN: Readonly<Record<string, string>> = {
  off: "not connected yet",
  connecting: "connecting",
  up: "up",
  failed: "failed",
  login: "needs a sign-in",
  changed: "suspended",
  unapproved: "suspended",
};

const ZH_WORDS: Words = {
  kinds: { added: "新增", removed: "消失", changed: "变更" },
  effects: { read: "自称只读：直接运行", idempotent: "自称可重复执行", write: "可能做出更改" },
  comma: "，",
  instructions: "使用说明：",
  before: "之前：",
  now: "现在：",
  parameters: "参数：",
  cut: (count) => `另有 ${count} 个字符未显示：\`margay mcp approve 名称 --full\` 或 MCP 页面可查看全部。`,
  more: (count) => `另有 ${count} 个工具：\`margay mcp approve 名称\` 或 MCP 页面可查看。`,
};

const ZH: ServerTexts = {
  list: (servers) =>
    servers.length === 0
      ? "没有 MCP 服务器。"
      : servers
          .map(({ name, state, tools, standing }) => {
            const waits = standing === "approved" ? "" : `，等待审核：\`/mcp approve ${name}\``;
            return `- ${inline(name)}：${STATES_ZH[state] ?? state}，${tools} 个工具${waits}`;
          })
          .join("\n"),
  review: (name, review, code) =>
    [
      review.isFirst
        ? `${inline(name)} 的自我说明如下，批准后模型会视同您的指令。`
        : `${inline(name)} 的自我说明与您批准的不同。`,
      ...reviewLines(review, ZH_WORDS),
      `\`/mcp approve ${name} ${code}\` 批准以上内容，\`/mcp refuse ${name} ${code}\` 不予批准。`,
    ].join("\n"),
  approved: (name) => `已批准 ${inline(name)}，从下一条消息起提供其工具。`,
  refused: (name) => `未批准，${inline(name)} 保持暂停。`,
  changed: (name) => `${inline(name)} 的说明已与所示不同：\`/mcp approve ${name}\` 可重新查看。`,
  nothing: (name) => `${inline(name)} 没有等待审核的内容。`,
  unknown: (name) => `没有 MCP 服务器 ${inline(name)}。/mcp 可列出全部。`,
  silent: (name) => `${inline(name)} 没有应答，无法查看其说明：\`margay mcp test ${name}\` 可查明原因。`,
  usage: "`/mcp` 列出服务器；`/mcp approve 名称` 显示其自我说明。",
};
const STATES_ZH: Readonly<Record<string, string>> = {
  off: "尚未连接",
  connecting: "连接中",
  up: "运行中",
  failed: "失败",
  login: "需要登录",
  changed: "已暂停",
  unapproved: "已暂停",
};

export function serverTexts(language: "en" | "zh-CN"): ServerTexts {
  return language === "zh-CN" ? ZH : EN;
}
