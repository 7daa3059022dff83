/** Texts of `margay trust`. */
export const TRUST_TEXTS = {
  "about.trust": {
    en: "files that count as strangers' text: shows them, asks, and makes what was shown yours (--json alone only lists)",
    "zh-CN": "列出被视为外来内容的文件，询问后将所列内容视为您自己的（仅加 --json 则只列出）",
  },
  "opt.stranger": {
    en: "the repositories at these paths are a stranger's: not asked again",
    "zh-CN": "这些路径中的仓库属于他人：不再询问",
  },
  "trust.origin": {
    en: "came from {origin}. Yours, or a stranger's?",
    "zh-CN": "来自 {origin}。是您自己的，还是他人的？",
  },
  "trust.disowned": { en: "{path} is a stranger's.", "zh-CN": "{path} 属于他人。" },
  "trust.nobodyAsked": {
    en: "No repository there waits for an answer.",
    "zh-CN": "这些路径中没有等待回答的仓库。",
  },
  "trust.none": {
    en: "No file of the workspace counts as strangers' text.",
    "zh-CN": "工作区中没有被视为外来内容的文件。",
  },
  "trust.noneThere": {
    en: "Nothing there counts as strangers' text.",
    "zh-CN": "这些路径中没有被视为外来内容的文件。",
  },
  "trust.outside": {
    en: "{path} is outside the workspace ({workspace}). Name a path inside it.",
    "zh-CN": "{path} 在工作区（{workspace}）之外。请给出其中的路径。",
  },
  "trust.head": { en: "These count as strangers' text:", "zh-CN": "以下文件被视为外来内容：" },
  "trust.bytes": { en: "{count} bytes", "zh-CN": "{count} 字节" },
  "trust.directory": { en: "directory", "zh-CN": "目录" },
  "trust.confirm": {
    en: "Vouch for {count} of them, as they are now? [y/N] ",
    "zh-CN": "将以上 {count} 项的当前内容视为您自己的？[y/N] ",
  },
  "trust.kept": { en: "Nothing was changed.", "zh-CN": "未做任何改动。" },
  "trust.changed": {
    en: "{path} has changed since it was shown, so it was left as it is. Look again.",
    "zh-CN": "{path} 在显示之后又有改动，因此保持原样。请重新查看。",
  },
  "trust.unknown": { en: "{path} is not there any more.", "zh-CN": "{path} 已不存在。" },
  "trust.done": {
    en: "{count} yours from now on. What a stranger has a hand in later counts anew.",
    "zh-CN": "{count} 项已视为您自己的；此后再经外来内容改动的会重新判断。",
  },
} as const;
