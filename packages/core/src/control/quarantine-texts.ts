/** Answers of `/quarantine` in both languages. */
import type { Quarantined, TakenBack } from "../contract/quarantine.ts";
import { code, codeBlock, unmarked } from "./in-markdown.ts";

export interface QuarantineTexts {
  readonly list: (items: readonly Quarantined[], more: number) => string;
  /** `again`: it is not what this chat was shown before. */
  readonly item: (item: Quarantined, again: boolean) => string;
  readonly which: (verb: string) => string;
  readonly unknown: (id: string) => string;
  readonly restored: (answer: TakenBack, id: string) => string;
  readonly deleted: (path: string) => string;
}

/** A chat is no place to read more; `margay quarantine show` shows it. */
const MAX_CHARS = 3_000;

interface Words {
  readonly head: string;
  readonly none: string;
  readonly more: (count: number) => string;
  readonly next: string;
  readonly size: Readonly<Record<Quarantined["kind"], (bytes: number) => string>>;
  readonly line: (path: string, why: string, size: string) => string;
  readonly about: (path: string, why: string, size: string) => string;
  readonly noText: string;
  readonly cut: (id: string) => string;
  readonly offer: (id: string) => string;
  readonly changed: string;
}

function textsOf(words: Words): Pick<QuarantineTexts, "list" | "item"> {
  const size = ({ kind, bytes }: Quarantined): string => words.size[kind](bytes);
  return {
    list: (items, more) =>
      items.length === 0
        ? words.none
        : [
            words.head,
            ...items.map((item) => `- ${code(item.id)} ${words.line(code(item.path), unmarked(item.why), size(item))}`),
            ...(more > 0 ? [`- ${words.more(more)}`] : []),
            words.next,
          ].join("\n"),
    item: (item, again) => {
      const { id, path, why, text, cut } = item;
      const isCut = cut === true || (text?.length ?? 0) > MAX_CHARS;
      return [
        ...(again ? [words.changed] : []),
        words.about(code(path), unmarked(why), size(item)),
        text === undefined ? words.noText : codeBlock(text.slice(0, MAX_CHARS)),
        ...(isCut ? [words.cut(id)] : []),
        words.offer(id),
      ].join("\n");
    },
  };
}

export const QUARANTINE_EN: QuarantineTexts = {
  ...textsOf({
    head: "Left behind by commands and kept aside, because each would run by itself:",
    none: "Nothing is kept aside.",
    more: (count) => `and ${count} more: \`margay quarantine\` lists all`,
    next: "`/quarantine ID` shows what is in one, `/quarantine restore ID` puts it back, `/quarantine delete ID` removes it. After 30 days each is removed.",
    size: { file: (bytes) => `${bytes} bytes`, directory: (bytes) => `folder, ${bytes} bytes`, link: () => "link" },
    line: (path, why, size) => `${path} (${why}), ${size}`,
    about: (path, why, size) => `${path} (${size}), kept aside for: ${why}`,
    noText: "It is no text.",
    cut: (id) => `Only the beginning is shown: \`margay quarantine show ${id}\` shows more.`,
    offer: (id) => `\`/quarantine restore ${id}\` puts exactly this back, \`/quarantine delete ${id}\` removes it.`,
    changed: "Nothing was done: it is not what was shown here. This is what it is now:",
  }),
  which: (verb) => `Say which one: \`/quarantine ${verb} ID\`. /quarantine lists them.`,
  unknown: (id) =>
    `Nothing is kept aside as ${code(id)}. It may have been taken back or removed; /quarantine lists what there is.`,
  restored: (answer, id) => {
    switch (answer.status) {
      case "taken back":
        return `${code(answer.path)} is back at its place, and yours.`;
      case "occupied":
        return `Something else is at ${code(answer.path)} by now, so nothing was changed. Move that away, then: \`/quarantine restore ${id}\``;
      case "changed":
        return `It is not what was shown here, so nothing was changed. Look again: \`/quarantine ${id}\``;
      case "unknown":
        return QUARANTINE_EN.unknown(id);
    }
  },
  deleted: (path) => `${code(path)} is removed.`,
};

export const QUARANTINE_ZH: QuarantineTexts = {
  ...textsOf({
    head: "以下内容由命令留下，因为会自行运行而被另行保存：",
    none: "没有另行保存的内容。",
    more: (count) => `另有 ${count} 项未列出：\`margay quarantine\` 可列出全部`,
    next: "`/quarantine ID` 查看内容，`/quarantine restore ID` 放回原处，`/quarantine delete ID` 删除。30 天后自动移除。",
    size: {
      file: (bytes) => `${bytes} 字节`,
      directory: (bytes) => `文件夹，${bytes} 字节`,
      link: () => "链接",
    },
    line: (path, why, size) => `${path}（${why}），${size}`,
    about: (path, why, size) => `${path}（${size}），保存原因：${why}`,
    noText: "不是文本。",
    cut: (id) => `仅显示开头部分：\`margay quarantine show ${id}\` 可显示更多。`,
    offer: (id) => `\`/quarantine restore ${id}\` 将所示内容放回原处，\`/quarantine delete ${id}\` 将其删除。`,
    changed: "未做任何改动：内容与此处显示过的不一致。现在的内容是：",
  }),
  which: (verb) => `请指明是哪一项：\`/quarantine ${verb} ID\`。/quarantine 可列出。`,
  unknown: (id) => `没有编号为 ${code(id)} 的内容，可能已取回或已删除；/quarantine 可列出现有内容。`,
  restored: (answer, id) => {
    switch (answer.status) {
      case "taken back":
        return `${code(answer.path)} 已放回原处，视为您自己的。`;
      case "occupied":
        return `${code(answer.path)} 处现已有其他内容，因此未做任何改动。请先将其移开，再发送 \`/quarantine restore ${id}\``;
      case "changed":
        return `内容与此处显示过的不一致，因此未做任何改动。请重新查看：\`/quarantine ${id}\``;
      case "unknown":
        return QUARANTINE_ZH.unknown(id);
    }
  },
  deleted: (path) => `${code(path)} 已删除。`,
};
