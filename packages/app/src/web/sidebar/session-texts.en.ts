/** Texts of the trash and of bringing chats in. */
export const en = {
  "trash.empty": "Nothing was deleted in the last 30 days",
  "trash.note": "What lies here is gone after 30 days.",
  "trash.restore": "Restore",
  "trash.purge": "Delete for good",
  "purge.what":
    "The messages, the transcript and the attachments that no other chat uses are deleted. This can't be undone.",
  "purge.title": "Type its title to confirm",
  "purge.done": "“{title}” is gone",
  "import.what": "It becomes a new conversation; nothing that is here changes.",
  "import.file": "File",
  "import.format": "Format",
  "import.format.seed": "Transcript (JSONL; also nanobot’s)",
  "import.format.margay": "Journal of margay",
  "import.name": "Title (optional)",
  "import.go": "Import",
  "import.open": "Open it",
  "import.done": "{n} {n|message was|messages were} imported",
  "import.repaired": "Some lines were repaired or left out:",
} as const;
