// The files `onboard` puts into a new workspace. Unedited they say nothing the prompt needs, so they are left out of it.

export interface WorkspaceTemplate {
  readonly path: string;
  readonly text: string;
}

/** The templates of one language, in the order they are written. */
export function workspaceTemplates(language: "en" | "zh-CN"): readonly WorkspaceTemplate[] {
  return language === "en" ? ENGLISH : CHINESE;
}

/** Whether `text` is the shipped template of `path` in any language, but for white space at its ends. */
export function isTemplate(path: string, text: string): boolean {
  const plain = text.replaceAll("\r\n", "\n").trim();
  return [...ENGLISH, ...CHINESE].some((template) => template.path === path && template.text.trim() === plain);
}

const ENGLISH: readonly WorkspaceTemplate[] = [
  {
    path: "AGENTS.md",
    text: "# Instructions\n\n<!-- Rules the agent follows in every conversation: how you work, what to do first, what to leave alone. -->\n",
  },
  {
    path: "SOUL.md",
    text: "# Character\n\n<!-- Who the agent is when no personality preset is chosen: tone, values, quirks. -->\n",
  },
  {
    path: "USER.md",
    text: "# About you\n\n<!-- What the agent should know about you: name, place, languages, work, preferences. -->\n",
  },
  {
    path: "TOOLS.md",
    text: "# Tools\n\n<!-- Notes on using tools here: project commands, machines, things to be careful with. -->\n",
  },
  {
    path: "HEARTBEAT.md",
    text: "# Heartbeat\n\n<!-- Tasks to look at every half hour, one per line, for example: - [ ] tell me when the backup is older than a day -->\n",
  },
  {
    path: "memory/MEMORY.md",
    text: "# Long-term memory\n\n<!-- Facts the agent keeps; it edits this file, and so may you. One line per fact. -->\n",
  },
];

const CHINESE: readonly WorkspaceTemplate[] = [
  { path: "AGENTS.md", text: "# 工作指引\n\n<!-- 每次对话都要遵守的规则：怎么做事、先做什么、哪些不要碰。 -->\n" },
  { path: "SOUL.md", text: "# 性格\n\n<!-- 没有选择性格预设时，助手是什么样的：语气、原则、小习惯。 -->\n" },
  { path: "USER.md", text: "# 关于你\n\n<!-- 希望助手了解的事：称呼、所在地、语言、工作、偏好。 -->\n" },
  { path: "TOOLS.md", text: "# 工具\n\n<!-- 在这里使用工具的说明：项目命令、机器、需要小心的地方。 -->\n" },
  {
    path: "HEARTBEAT.md",
    text: "# 定时检查\n\n<!-- 每半小时看一次的事项，一行一条，例如：- [ ] 备份超过一天没更新就告诉我 -->\n",
  },
  {
    path: "memory/MEMORY.md",
    text: "# 长期记忆\n\n<!-- 助手记住的事实；助手会修改这个文件，你也可以改。一行一条。 -->\n",
  },
];
