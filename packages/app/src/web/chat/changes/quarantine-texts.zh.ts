import type { Texts } from "@margay/core/internal/state";
import type { en } from "./quarantine-texts.en.ts";

export const zh: Texts<typeof en> = {
  kept: "因会自行运行而被另行保存：",
  more: "另有 {n} 项，见“安全”页面",
  show: "查看",
  showOf: "查看 {path}",
  turn: "本轮有 {n} 项会自行运行的内容被另行保存（/quarantine）",
  title: "另行保存的内容",
  about: "这是某条命令留下的。进入或打开其所在文件夹时它会自行运行或生效，因此已被移开。确认其作用后再取回。",
  why: "保存原因：{why}",
  content: "其内容",
  noText: "不是文本。",
  cut: "仅显示开头部分。",
  gone: "已不再保存：已取回、已删除或已超过 30 天。",
  take: "取回",
  taken: "{path} 已放回原处，视为您自己的。",
  remove: "删除…",
  removeTitle: "彻底删除",
  removeAsk: "彻底删除 {path}？之后无法取回。",
  removed: "{path} 已删除。",
};
