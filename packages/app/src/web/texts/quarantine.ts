/** Texts of what commands left behind and was kept aside. */
import { texts, type Text } from "./texts.ts";

const QUARANTINE = {
  kept: { en: "Kept aside, because it would run by itself:", zh: "因会自行运行而被另行保存：" },
  more: { en: "and {n} more, under Security", zh: "另有 {n} 项，见“安全”页面" },
  show: { en: "Show", zh: "查看" },
  showOf: { en: "Show {path}", zh: "查看 {path}" },
  turn: {
    en: "{n} thing of this turn would run by itself and was kept aside (/quarantine)|{n} things of this turn would run by themselves and were kept aside (/quarantine)",
    zh: "本轮有 {n} 项会自行运行的内容被另行保存（/quarantine）",
  },
  title: { en: "Kept aside", zh: "另行保存的内容" },
  about: {
    en: "A command left this behind. It would run, or be obeyed, when its folder is entered or opened, so it was moved away. Take it back when you know what it does.",
    zh: "这是某条命令留下的。进入或打开其所在文件夹时它会自行运行或生效，因此已被移开。确认其作用后再取回。",
  },
  why: { en: "kept aside for {why}", zh: "保存原因：{why}" },
  content: { en: "What is in it", zh: "其内容" },
  noText: { en: "It is no text.", zh: "不是文本。" },
  cut: { en: "Only the beginning is shown.", zh: "仅显示开头部分。" },
  gone: {
    en: "It is no longer kept: it was taken back, deleted, or older than 30 days.",
    zh: "已不再保存：已取回、已删除或已超过 30 天。",
  },
  take: { en: "Take back", zh: "取回" },
  taken: { en: "{path} is back at its place, and yours.", zh: "{path} 已放回原处，视为您自己的。" },
  remove: { en: "Delete…", zh: "删除…" },
  removeTitle: { en: "Delete for good", zh: "彻底删除" },
  removeAsk: { en: "Delete {path} for good? It can't be taken back then.", zh: "彻底删除 {path}？之后无法取回。" },
  removed: { en: "{path} is deleted.", zh: "{path} 已删除。" },
} as const satisfies Readonly<Record<string, Text>>;

export const t = texts<keyof typeof QUARANTINE>(QUARANTINE);
