import type { Texts } from "@margay/core/internal/state";
import type { en } from "./texts.en.ts";

export const zh: Texts<typeof en> = {
  search: "搜索模型",
  choose: "选择模型…",
  typed: "直接使用“{name}”",
  reading: "正在询问提供方…",
  none: "没有匹配的模型。请在“模型”中设置密钥，或输入 提供方/模型。",
  found: "{n} 个模型",
  more: "仅显示前 {n} 个；请输入更多字符。",
  window: "{n} 词元",
  price: "每百万词元：输入 {input}，输出 {output}",
  noPrice: "价格未知",
  vision: "图像",
  tools: "工具",
  thinking: "思考",
  level: "思考程度（所有对话）",
  level_off: "关闭",
  level_low: "低",
  level_medium: "中",
  level_high: "高",
};
