import type { Texts } from "@margay/core/internal/state";
import type { en } from "./context-texts.en.ts";

export const zh: Texts<typeof en> = {
  title: "上下文的组成",
  part: "部分",
  system: "指令",
  tools: "工具",
  memory: "记忆",
  skills: "技能",
  messages: "消息",
  results: "工具结果",
  why: "各部分为估算值。上下文将满时，较早的消息会由摘要代替；也可以现在就摘要。",
};
