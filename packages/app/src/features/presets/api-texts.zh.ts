import type { Texts } from "@margay/core/internal";
import type { en } from "./api-texts.en.ts";

export const zh: Texts<typeof en> = {
  isCommand: "/{name} 已经是一个命令。请选择其他名称。",
  tooMany: "最多保存 {most} 条提示词。保存 {name} 前请先删除一条。",
  none: "没有名为 {name} 的提示词。",
};
