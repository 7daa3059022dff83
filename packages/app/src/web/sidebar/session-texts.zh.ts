import type { Texts } from "@margay/core/internal/state";
import type { en } from "./session-texts.en.ts";

export const zh: Texts<typeof en> = {
  "trash.empty": "最近 30 天内没有删除的对话",
  "trash.note": "其中的内容在 30 天后彻底删除。",
  "trash.restore": "恢复",
  "trash.purge": "永久删除",
  "purge.what": "消息、记录以及其他对话未使用的附件都会被删除，且无法撤销。",
  "purge.title": "输入其标题以确认",
  "purge.done": "“{title}”已永久删除",
  "import.what": "导入后成为新的对话；现有内容不会改变。",
  "import.file": "文件",
  "import.format": "格式",
  "import.format.seed": "对话记录（JSONL，也可来自 nanobot）",
  "import.format.margay": "margay 日志",
  "import.name": "标题（可选）",
  "import.go": "导入",
  "import.open": "打开",
  "import.done": "已导入 {n} 条消息",
  "import.repaired": "部分行已修复或略过：",
};
