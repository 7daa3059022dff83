import type { Texts } from "@margay/core/internal";
import type { MEMORY_TEXTS } from "./texts.en.ts";

export const MEMORY_TEXTS_ZH: Texts<typeof MEMORY_TEXTS> = {
  "about.memory": "代理记住的内容",
  "about.memory.show": "长期事实（MEMORY.md）",
  "about.memory.edit": "用编辑器打开 MEMORY.md",
  "about.memory.search": "搜索事实、日志和过去的会话",
  "about.memory.log": "日志（HISTORY.md）的最新条目",
  "memory.none": "记忆是空的。",
  "memory.noLog": "日志是空的。",
  "memory.noMatch": "没有找到。",
  "memory.rebuilt": "搜索索引已损坏（{reason}），现已删除并重建；其他数据没有丢失。",
  "memory.noEditor": "没有可用的编辑器。请设置 EDITOR，或自行打开 {path}。",
  "memory.editorFailed": "无法使用 {editor}（{detail}）。请设置 EDITOR，或自行打开 {path}。",
};
