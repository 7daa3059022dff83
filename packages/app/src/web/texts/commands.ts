/** The slash commands, as the menu of the composer lists them. */
import { texts, type Text } from "./texts.ts";

const TEXTS = {
  "command.new": { en: "start afresh in this chat", zh: "在此对话中重新开始" },
  "command.stop": { en: "stop what is running", zh: "停止正在运行的内容" },
  "command.status": { en: "model, tokens, what is running", zh: "模型、词元与运行状态" },
  "command.model": { en: "show or change the model of this chat", zh: "查看或更改此对话的模型" },
  "command.persona": { en: "show or change the persona", zh: "查看或更改人格" },
  "command.skill": { en: "use a skill with the next message", zh: "在下一条消息中使用技能" },
  "command.help": { en: "all commands", zh: "全部命令" },
} as const satisfies Readonly<Record<string, Text>>;

export const COMMANDS = ["new", "stop", "status", "model", "persona", "skill", "help"] as const;
export const commandTexts = texts<keyof typeof TEXTS>(TEXTS);
