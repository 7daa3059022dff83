import type { Texts } from "@margay/core/internal";
import type { TRUST_TEXTS } from "./texts.en.ts";

export const TRUST_TEXTS_ZH: Texts<typeof TRUST_TEXTS> = {
  "about.trust": "列出被视为外来内容的文件，询问后将所列内容视为您自己的（仅加 --json 则只列出）",
  "opt.stranger": "这些路径中的仓库属于他人：不再询问",
  "trust.origin": "来自 {origin}。是您自己的，还是他人的？",
  "trust.disowned": "{path} 属于他人。",
  "trust.nobodyAsked": "这些路径中没有等待回答的仓库。",
  "trust.none": "工作区中没有被视为外来内容的文件。",
  "trust.noneThere": "这些路径中没有被视为外来内容的文件。",
  "trust.outside": "{path} 在工作区（{workspace}）之外。请给出其中的路径。",
  "trust.head": "以下文件被视为外来内容：",
  "trust.bytes": "{count} 字节",
  "trust.directory": "目录",
  "trust.confirm": "将以上 {count} 项的当前内容视为您自己的？[y/N] ",
  "trust.kept": "未做任何改动。",
  "trust.changed": "{path} 在显示之后又有改动，因此保持原样。请重新查看。",
  "trust.unknown": "{path} 已不存在。",
  "trust.done": "{count} 项已视为您自己的；此后再经外来内容改动的会重新判断。",
};
