/** Texts of `margay memory`. */
export const MEMORY_TEXTS = {
  "about.memory": { en: "what the agent remembers", "zh-CN": "代理记住的内容" },
  "about.memory.show": { en: "the lasting facts (MEMORY.md)", "zh-CN": "长期事实（MEMORY.md）" },
  "about.memory.edit": { en: "open MEMORY.md in your editor", "zh-CN": "用编辑器打开 MEMORY.md" },
  "about.memory.search": {
    en: "search facts, the log and past conversations",
    "zh-CN": "搜索事实、日志和过去的会话",
  },
  "about.memory.log": { en: "the newest entries of the log (HISTORY.md)", "zh-CN": "日志（HISTORY.md）的最新条目" },
  "memory.none": { en: "The memory is empty.", "zh-CN": "记忆是空的。" },
  "memory.noLog": { en: "The log is empty.", "zh-CN": "日志是空的。" },
  "memory.noMatch": { en: "Nothing found.", "zh-CN": "没有找到。" },
  "memory.rebuilt": {
    en: "The search index was damaged ({reason}). It was deleted and made again; nothing else was lost.",
    "zh-CN": "搜索索引已损坏（{reason}），现已删除并重建；其他数据没有丢失。",
  },
  "memory.noEditor": {
    en: "No editor is known here. Set EDITOR, or open {path} yourself.",
    "zh-CN": "没有可用的编辑器。请设置 EDITOR，或自行打开 {path}。",
  },
  "memory.editorFailed": {
    en: "{editor} could not be used ({detail}). Set EDITOR, or open {path} yourself.",
    "zh-CN": "无法使用 {editor}（{detail}）。请设置 EDITOR，或自行打开 {path}。",
  },
} as const;
