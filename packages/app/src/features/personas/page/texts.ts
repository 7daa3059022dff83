/** Texts of the personas page. */
import { speak } from "../../../web/texts/panels.ts";

const TEXTS = {
  none: ["No persona: SOUL.md speaks", "无人格：以 SOUL.md 为准"],
  noneUse: ["Use no persona", "不使用人格"],
  active: ["in use", "使用中"],
  builtin: ["built in", "内置"],
  own: ["yours", "自有"],
  use: ["Use", "使用"],
  useHere: ["In this chat", "在此会话"],
  fromNextTurn: ["Used from the next message on.", "从下一条消息起使用。"],
  fromNextEpoch: [
    "New chats use it; chats at work keep theirs until they start afresh or are summarized.",
    "新会话将使用；进行中的会话在重新开始或总结之前保持原样。",
  ],
  traits: ["Traits", "特点"],
  style: ["Way of speaking", "说话方式"],
  preview: ["Preview", "试听"],
  previewAsk: ["Ask it something", "问它一句话"],
  previewDefault: ["How was your day?", "今天过得怎么样？"],
  previewCost: ["cost {cost}", "费用 {cost}"],
  duplicate: ["Make it mine", "复制为自有"],
  edit: ["Edit", "编辑"],
  new: ["New persona", "新建人格"],
  id: ["Short name", "短名称"],
  idWhy: ["Small letters, digits and hyphens.", "小写字母、数字和连字符。"],
  name: ["Name", "名称"],
  description: ["Description", "说明"],
  traitsWhy: ["One per line.", "每行一个。"],
  custom: ["Own text instead (up to 2,000 characters)", "自定义文本（最多 2000 字符）"],
  saved: ["{name} saved.", "{name} 已保存。"],
  deleted: ["{name} deleted", "已删除 {name}"],
} as const;

export const t = speak(TEXTS);
