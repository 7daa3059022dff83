/** Texts of taking back what a turn did to files. */
import { texts, type Text } from "./texts.ts";

const UNDO = {
  title: { en: "Undo file changes", zh: "撤销文件改动" },
  same: { en: "All files are as they were before this turn.", zh: "所有文件都与这一轮之前相同。" },
  restore: { en: "restored", zh: "恢复" },
  recreate: { en: "created again", zh: "重建" },
  delete: { en: "deleted", zh: "删除" },
  mode: { en: "permissions put back", zh: "恢复权限" },
  final: { en: "too large to keep: cannot be brought back", zh: "过大无法保留：之后找不回来" },
  starts: { en: "runs when started", zh: "启动时会运行" },
  left: { en: "left alone: {why}", zh: "不动：{why}" },
  force: { en: "Also files that somebody else changed", zh: "连同别人改过的文件" },
  go: { en: "Undo {n} change|Undo {n} changes", zh: "撤销 {n} 处改动" },
  done: { en: "{n} file restored|{n} files restored", zh: "已恢复 {n} 处" },
  failed: { en: "{n} could not be restored: {paths}", zh: "{n} 处未能恢复：{paths}" },
  excluded: { en: "Not looked into: {names}", zh: "未检查：{names}" },
  "why.changed": { en: "changed since by somebody else", zh: "之后被别人改过" },
  "why.mixed": { en: "perhaps changed by somebody else", zh: "可能被别人改过" },
  "why.large": { en: "too large, no copy was kept", zh: "过大，未保留副本" },
  "why.full": { en: "there was no room for a copy", zh: "没有空间保留副本" },
  "why.linked": { en: "it had another name outside the workspace", zh: "它在工作区之外还有另一个名字" },
  "why.unreadable": { en: "it could not be read", zh: "当时无法读取" },
  "why.excluded": { en: "excluded in the settings", zh: "已在设置中排除" },
  "why.special": { en: "a device, pipe or socket", zh: "设备、管道或套接字" },
  "why.missing": { en: "its copy is gone", zh: "副本已不存在" },
  "trust.ask": { en: "Keep and trust…", zh: "保留并信任…" },
  "trust.title": { en: "Keep and trust", zh: "保留并信任" },
  "trust.about": {
    en: "These files of the turn count as strangers' text. They become yours as they are now; what a stranger has a hand in later counts anew.",
    zh: "本轮的以下文件被视为外来内容。当前内容将视为您自己的；此后再经外来内容改动的会重新判断。",
  },
  "trust.go": { en: "Trust {n} file|Trust {n} files", zh: "信任 {n} 个文件" },
  "trust.origin": { en: "came from {origin}. Yours, or a stranger's?", zh: "来自 {origin}。是您自己的，还是他人的？" },
  "trust.yours": { en: "Yours", zh: "是我的" },
  "trust.stranger": { en: "A stranger's", zh: "他人的" },
  "trust.done": { en: "{n} file is yours now|{n} files are yours now", zh: "{n} 个文件已视为您自己的" },
  "trust.left": {
    en: "{n} changed meanwhile and was left: {paths}|{n} changed meanwhile and were left: {paths}",
    zh: "{n} 个在此期间有改动，未处理：{paths}",
  },
  "gap.too-many": {
    en: "The workspace has too many entries: what commands changed is not known.",
    zh: "工作区条目过多：命令改了什么无从得知。",
  },
  "gap.name": { en: "Not kept, its name is not UTF-8: {text}", zh: "未保留（文件名不是 UTF-8）：{text}" },
  "gap.failed": { en: "Keeping copies failed: {text}", zh: "保留副本失败：{text}" },
  "gap.outside": { en: "Not kept, outside the workspace: {text}", zh: "未保留（在工作区之外）：{text}" },
  "gap.cut-off": {
    en: "A crash cut a command off: the list may not be complete.",
    zh: "某条命令因崩溃中断：列表可能不完整。",
  },
} as const satisfies Readonly<Record<string, Text>>;

export type UndoText = keyof typeof UNDO;
export const t = texts<UndoText>(UNDO);

/** @returns the reason itself when there are no words for it. */
export function whyText(problem: string): string {
  const key = `why.${problem}`;
  return Object.hasOwn(UNDO, key) ? t(key as UndoText) : problem; // looked up
}
