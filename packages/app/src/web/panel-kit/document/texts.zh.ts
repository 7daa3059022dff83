import type { Texts } from "@margay/core/internal/state";
import type { en } from "./texts.en.ts";

export const zh: Texts<typeof en> = {
  editorOf: "{name} 的内容",
  note: "原因（可选，与版本一起保存）",
  savedNotice: "已保存。进行中的会话会在下一轮得知。",
  savedNone: "已保存。它不在任何提示词中。",
  conflict: "您编辑时 {name} 已被修改",
  conflictWhy: "下面列出每处差异。选择要保留的内容，保存后将合并为一份文本。",
  conflictAsk: "差异 {n}",
  keepTheirs: "用当前已保存的",
  keepMine: "用您写的",
  keepBoth: "两者都保留",
  baseText: "您开始编辑时的文本",
  saveMerged: "保存合并结果",
  gone: "（无）",
};
