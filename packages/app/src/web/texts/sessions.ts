/** Texts of the trash and of bringing chats in. */
import { texts, type Text } from "./texts.ts";

const SESSIONS = {
  trash: { en: "Trash", zh: "回收站" },
  "trash.empty": { en: "Nothing was deleted in the last 30 days", zh: "最近 30 天内没有删除的对话" },
  "trash.note": { en: "What lies here is gone after 30 days.", zh: "其中的内容在 30 天后彻底删除。" },
  "trash.restore": { en: "Restore", zh: "恢复" },
  "trash.purge": { en: "Delete for good", zh: "永久删除" },
  "purge.what": {
    en: "The messages, the transcript and the attachments that no other chat uses are deleted. This can't be undone.",
    zh: "消息、记录以及其他对话未使用的附件都会被删除，且无法撤销。",
  },
  "purge.title": { en: "Type its title to confirm", zh: "输入其标题以确认" },
  "purge.done": { en: "“{title}” is gone", zh: "“{title}”已永久删除" },
  "import.title": { en: "Import a conversation", zh: "导入对话" },
  "import.what": {
    en: "It becomes a new conversation; nothing that is here changes.",
    zh: "导入后成为新的对话；现有内容不会改变。",
  },
  "import.file": { en: "File", zh: "文件" },
  "import.format": { en: "Format", zh: "格式" },
  "import.format.seed": { en: "Transcript (JSONL; also nanobot’s)", zh: "对话记录（JSONL，也可来自 nanobot）" },
  "import.format.margay": { en: "Journal of margay", zh: "margay 日志" },
  "import.name": { en: "Title (optional)", zh: "标题（可选）" },
  "import.go": { en: "Import", zh: "导入" },
  "import.open": { en: "Open it", zh: "打开" },
  "import.done": { en: "{n} message was imported|{n} messages were imported", zh: "已导入 {n} 条消息" },
  "import.repaired": { en: "Some lines were repaired or left out:", zh: "部分行已修复或略过：" },
} as const satisfies Readonly<Record<string, Text>>;

export const t = texts<keyof typeof SESSIONS>(SESSIONS);
