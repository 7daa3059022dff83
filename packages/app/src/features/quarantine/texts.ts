/** Texts of `margay quarantine`. */
export const QUARANTINE_TEXTS = {
  "about.quarantine": {
    en: "what commands left behind that would have run by itself (.envrc, .vscode/, git hooks, …), kept aside for 30 days",
    "zh-CN": "命令留下的、会自行运行的内容（.envrc、.vscode/、git 钩子等），另行保存 30 天",
  },
  "about.quarantine.show": { en: "show what is in it, with its sha256", "zh-CN": "显示其内容和 sha256" },
  "about.quarantine.restore": {
    en: "put it back to its place, exactly as it is shown: shows it and asks. From then on it counts as yours",
    "zh-CN": "按所示内容放回原处：先显示再询问。此后视为您自己的",
  },
  "about.quarantine.delete": { en: "remove it for good", "zh-CN": "彻底删除" },
  "opt.quarantine.sha256": {
    en: "only when this is still what is in it, as `show` prints it; with --yes it must be given",
    "zh-CN": "仅当内容仍与此一致时才取回（见 `show` 的输出）；使用 --yes 时必须给出",
  },
  "quarantine.none": { en: "Nothing is kept aside.", "zh-CN": "没有另行保存的内容。" },
  "quarantine.head": {
    en: "Left behind by commands and kept aside, because each would run by itself:",
    "zh-CN": "以下内容由命令留下，因为会自行运行而被另行保存：",
  },
  "quarantine.next": {
    en: "To see what is in one: margay quarantine show ID · to put it back: margay quarantine restore ID · to remove it: margay quarantine delete ID. After 30 days each is removed.",
    "zh-CN":
      "查看内容：margay quarantine show ID；放回原处：margay quarantine restore ID；删除：margay quarantine delete ID。30 天后自动移除。",
  },
  "quarantine.kind.file": { en: "file, {count} bytes", "zh-CN": "文件，{count} 字节" },
  "quarantine.kind.directory": { en: "folder, {count} bytes", "zh-CN": "文件夹，{count} 字节" },
  "quarantine.kind.link": { en: "link", "zh-CN": "链接" },
  "quarantine.why": { en: "kept aside for: {why}", "zh-CN": "保存原因：{why}" },
  "quarantine.noText": { en: "(it is no text)", "zh-CN": "（不是文本）" },
  "quarantine.cut": { en: "Only the beginning is shown.", "zh-CN": "仅显示开头部分。" },
  "quarantine.cutAt": {
    en: "Only the beginning is shown. All of it: {path}",
    "zh-CN": "仅显示开头部分。全部内容：{path}",
  },
  "quarantine.confirm": {
    en: "Put this back to {path}, where it runs by itself? [y/N] ",
    "zh-CN": "将其放回 {path}（会在那里自行运行）？[y/N] ",
  },
  "quarantine.confirmDelete": { en: "Remove {path} for good? [y/N] ", "zh-CN": "彻底删除 {path}？[y/N] " },
  "quarantine.kept": { en: "Nothing was changed.", "zh-CN": "未做任何改动。" },
  "quarantine.done": { en: "{path} is back at its place, and yours.", "zh-CN": "{path} 已放回原处，视为您自己的。" },
  "quarantine.deleted": { en: "{path} is removed.", "zh-CN": "{path} 已删除。" },
  "quarantine.occupied": {
    en: "Something else is at {path} by now, so nothing was changed. Next: move that away, then: margay quarantine restore {id}",
    "zh-CN": "{path} 处现已有其他内容，因此未做任何改动。下一步：先将其移开，再运行：margay quarantine restore {id}",
  },
  "quarantine.changed": {
    en: "What is in {id} is not what was shown, so nothing was changed. Next: look again: margay quarantine show {id}",
    "zh-CN": "{id} 的内容与之前显示的不一致，因此未做任何改动。下一步：请重新查看：margay quarantine show {id}",
  },
  "quarantine.unknown": {
    en: "Nothing is kept aside as {id}. It may have been taken back or removed. Next: see what there is: margay quarantine",
    "zh-CN": "没有编号为 {id} 的内容，可能已取回或已删除。下一步：查看现有内容：margay quarantine",
  },
  "quarantine.needHash": {
    en: "Nobody is asked here, so say what you have seen: --yes --sha256 HASH. The hash is in margay quarantine show {id} --json",
    "zh-CN": "此处不会询问，请说明您已看过的内容：--yes --sha256 哈希值。哈希值见 margay quarantine show {id} --json",
  },
} as const;
