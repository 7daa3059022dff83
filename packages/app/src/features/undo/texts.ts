/** Texts of `margay undo`. */
export const UNDO_TEXTS = {
  "about.undo": {
    en: "take back what a turn did to the files of the workspace",
    "zh-CN": "撤销某一轮对工作区文件的改动",
  },
  "opt.undoTurn": {
    en: "number or id of the turn, or id of an undo (default: the last turn)",
    "zh-CN": "轮次的编号或 id，或某次撤销的 id（默认最后一轮）",
  },
  "opt.undoList": { en: "list the turns that can be taken back", "zh-CN": "列出可以撤销的轮次" },
  "opt.undoForce": {
    en: "also what somebody else changed since",
    "zh-CN": "之后被别人改过的也恢复",
  },
  "undo.none": { en: "There is nothing to take back.", "zh-CN": "没有可以撤销的改动。" },
  "undo.busy": {
    en: "A command of that turn is running. Stop it or wait for its end.",
    "zh-CN": "该轮的命令正在运行。请先停止它或等待结束。",
  },
  "undo.head": { en: "{session}, turn {turn}, {at}:", "zh-CN": "{session}，第 {turn} 轮，{at}：" },
  "undo.same": { en: "All files are as they were before.", "zh-CN": "所有文件都与之前相同。" },
  "undo.do.restore": { en: "restore ", "zh-CN": "恢复" },
  "undo.do.recreate": { en: "recreate", "zh-CN": "重建" },
  "undo.do.delete": { en: "delete  ", "zh-CN": "删除" },
  "undo.do.mode": { en: "mode    ", "zh-CN": "权限" },
  "undo.final": { en: "cannot be brought back: too large to keep", "zh-CN": "过大无法保留，之后找不回来" },
  "undo.starts": { en: "runs when started", "zh-CN": "启动时会运行" },
  "undo.left": { en: "left alone: {why}", "zh-CN": "不动：{why}" },
  "undo.force": {
    en: "With --force, what others changed is restored too.",
    "zh-CN": "加 --force 则连同别人改过的一起恢复。",
  },
  "undo.excluded": {
    en: "Not looked into (tools.undo.exclude): {names}",
    "zh-CN": "未检查（tools.undo.exclude）：{names}",
  },
  "undo.gap.too-many": {
    en: "Not kept: the workspace has {text}. What commands changed is not known.",
    "zh-CN": "未保留：工作区有 {text}。命令改了什么无从得知。",
  },
  "undo.gap.name": {
    en: "Not kept: {text} (its name is not UTF-8).",
    "zh-CN": "未保留：{text}（文件名不是 UTF-8）。",
  },
  "undo.gap.failed": {
    en: "Keeping copies failed: {text}. Some changes are not known.",
    "zh-CN": "保留副本失败：{text}。部分改动无从得知。",
  },
  "undo.gap.outside": { en: "Not kept: {text} lies outside the workspace.", "zh-CN": "未保留：{text} 在工作区之外。" },
  "undo.gap.cut-off": {
    en: "A crash cut a command off: what is listed may be somebody else's, and what came later is missing.",
    "zh-CN": "某条命令因崩溃中断：列出的可能是别人的改动，之后的改动不在其中。",
  },
  "undo.confirm": { en: "Take back {count} change(s)? [y/N] ", "zh-CN": "撤销 {count} 处改动？[y/N] " },
  "undo.kept": { en: "Nothing was changed.", "zh-CN": "未做任何改动。" },
  "undo.failed": { en: "Not restored: {path} ({why}).", "zh-CN": "未恢复：{path}（{why}）。" },
  "undo.done": {
    en: "{count} restored. To take this back: {command}",
    "zh-CN": "已恢复 {count} 处。如要反悔：{command}",
  },
  "undo.changed": { en: "{count} changed", "zh-CN": "改动 {count} 处" },
  "undo.isUndo": { en: "an undo", "zh-CN": "撤销操作" },
  "undo.isUndone": { en: "taken back", "zh-CN": "已撤销" },
  "undo.incomplete": { en: "incomplete", "zh-CN": "不完整" },
  "undo.why.changed": { en: "changed since by somebody else", "zh-CN": "之后被别人改过" },
  "undo.why.mixed": {
    en: "somebody else changed it in between, or may have",
    "zh-CN": "期间被别人改过，或无法确定是谁改的",
  },
  "undo.why.large": { en: "larger than tools.undo.maxFileMegabytes", "zh-CN": "超过 tools.undo.maxFileMegabytes" },
  "undo.why.full": { en: "no room within tools.undo.maxMegabytes", "zh-CN": "超出 tools.undo.maxMegabytes 的空间" },
  "undo.why.linked": {
    en: "it had another name outside the workspace",
    "zh-CN": "它在工作区之外还有另一个名字（硬链接）",
  },
  "undo.why.unreadable": { en: "it could not be read", "zh-CN": "当时无法读取" },
  "undo.why.excluded": { en: "excluded by tools.undo.exclude", "zh-CN": "被 tools.undo.exclude 排除" },
  "undo.why.special": { en: "a device, pipe or socket", "zh-CN": "设备、管道或套接字" },
  "undo.why.missing": { en: "its copy is gone", "zh-CN": "副本已不存在" },
  "undo.why.not-empty": { en: "there is something else in it", "zh-CN": "里面还有别的东西" },
} as const;
