import type { Texts } from "@margay/core/internal/state";
import type { en } from "./texts.en.ts";

export const zh: Texts<typeof en> = {
  none: "打开一个对话，在其菜单中选择“分享为网页”。",
  untitled: "对话",
  why: "一个 HTML 文件，在此浏览器中生成：不运行任何脚本，不加载任何内容，在哪里都能阅读。不会发送到任何地方，去向由你决定。下面就是将要带走的全部内容。",
  leaves: "将带走 {n} 条消息，以及：",
  times: "时间",
  pictures: "图片（{n}）",
  tools: "工具的调用与结果（{n}）",
  thoughts: "模型的思考",
  thinking: "思考",
  maskedNone: "其中没有 margay 已知的密钥。转发前请先阅读。",
  masked: "有 {n} 处 margay 已知的密钥已替换为 [redacted]。转发前请阅读其余内容。",
  save: "保存网页（{size}）",
  preview: "将要带走的内容",
  you: "你",
  made: "与 margay 的一次对话。",
};
