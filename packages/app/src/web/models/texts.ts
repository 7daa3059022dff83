/** Texts of the field in which a model is chosen. */
import { speak } from "../texts/panels.ts";

const TEXTS = {
  search: ["Search models", "搜索模型"],
  choose: ["Choose a model…", "选择模型…"],
  typed: ["Use “{name}” as it is", "直接使用“{name}”"],
  reading: ["Asking the providers…", "正在询问提供方…"],
  none: [
    "No model fits. Set a key under Models, or write provider/model.",
    "没有匹配的模型。请在“模型”中设置密钥，或输入 提供方/模型。",
  ],
  found: ["{n} {n|model|models}", "{n} 个模型"],
  more: ["The first {n}; write more letters for fewer.", "仅显示前 {n} 个；请输入更多字符。"],
  window: ["{n} tokens", "{n} 词元"],
  price: ["{input} in, {output} out per million", "每百万词元：输入 {input}，输出 {output}"],
  noPrice: ["price unknown", "价格未知"],
  vision: ["images", "图像"],
  tools: ["tools", "工具"],
  thinking: ["thinking", "思考"],
  level: ["Thinking level, in all chats", "思考程度（所有对话）"],
  level_off: ["Off", "关闭"],
  level_low: ["Low", "低"],
  level_medium: ["Medium", "中"],
  level_high: ["High", "高"],
} as const;

export const t = speak(TEXTS);
