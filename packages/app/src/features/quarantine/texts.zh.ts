import type { Texts } from "@margay/core/internal";
import type { QUARANTINE_TEXTS } from "./texts.en.ts";

export const QUARANTINE_TEXTS_ZH: Texts<typeof QUARANTINE_TEXTS> = {
  "about.quarantine": "命令留下的、会自行运行的内容（.envrc、.vscode/、git 钩子等），另行保存 30 天",
  "about.quarantine.show": "显示其内容和 sha256",
  "about.quarantine.restore": "按所示内容放回原处：先显示再询问。此后视为您自己的",
  "about.quarantine.delete": "彻底删除",
  "opt.quarantine.sha256": "仅当内容仍与此一致时才取回（见 `show` 的输出）；使用 --yes 时必须给出",
  "quarantine.none": "没有另行保存的内容。",
  "quarantine.head": "以下内容由命令留下，因为会自行运行而被另行保存：",
  "quarantine.next":
    "查看内容：margay quarantine show ID；放回原处：margay quarantine restore ID；删除：margay quarantine delete ID。30 天后自动移除。",
  "quarantine.kind.file": "文件，{count} 字节",
  "quarantine.kind.directory": "文件夹，{count} 字节",
  "quarantine.kind.link": "链接",
  "quarantine.why": "保存原因：{why}",
  "quarantine.noText": "（不是文本）",
  "quarantine.cut": "仅显示开头部分。",
  "quarantine.cutAt": "仅显示开头部分。全部内容：{path}",
  "quarantine.confirm": "将其放回 {path}（会在那里自行运行）？[y/N] ",
  "quarantine.confirmDelete": "彻底删除 {path}？[y/N] ",
  "quarantine.kept": "未做任何改动。",
  "quarantine.done": "{path} 已放回原处，视为您自己的。",
  "quarantine.deleted": "{path} 已删除。",
  "quarantine.occupied":
    "{path} 处现已有其他内容，因此未做任何改动。下一步：先将其移开，再运行：margay quarantine restore {id}",
  "quarantine.changed":
    "{id} 的内容与之前显示的不一致，因此未做任何改动。下一步：请重新查看：margay quarantine show {id}",
  "quarantine.unknown": "没有编号为 {id} 的内容，可能已取回或已删除。下一步：查看现有内容：margay quarantine",
  "quarantine.needHash":
    "此处不会询问，请说明您已看过的内容：--yes --sha256 哈希值。哈希值见 margay quarantine show {id} --json",
};
