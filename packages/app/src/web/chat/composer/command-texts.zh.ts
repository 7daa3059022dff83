import type { Texts } from "@margay/core/internal/state";
import type { en } from "./command-texts.en.ts";

export const zh: Texts<typeof en> = {
  "command.new": "在此对话中重新开始",
  "command.stop": "停止正在运行的内容",
  "command.status": "模型、词元与运行状态",
  "command.model": "查看或更改此对话的模型",
  "command.persona": "查看或更改人格",
  "command.skill": "在下一条消息中使用技能",
  "command.help": "全部命令",
};
