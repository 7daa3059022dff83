import type { Texts } from "@margay/core/internal/state";
import type { en } from "./texts.en.ts";

export const zh: Texts<typeof en> = {
  why: "你反复要写的内容。在消息框中输入 / 和名称，文字就会写入，并选中第一个待填的位置；按 Tab 到下一个。",
  none: "还没有保存提示词。",
  new: "新提示词",
  edit: "修改提示词",
  name: "名称",
  nameHint: "输入在斜杠之后。",
  nameWrong: "只能用文字、数字、- 和 _，最多 32 个，不含空格。",
  text: "内容",
  textHint: "{place} 是待填的位置；{named} 说明要填什么。",
  named: "语言",
  leave: "不改了",
  save: "保存",
  editIt: "修改 {name}",
  removeIt: "删除 {name}",
  gone: "已删除 /{name}。",
};
