/** Texts of `margay memory`. */
export const MEMORY_TEXTS = {
  "about.memory": "what the agent remembers",
  "about.memory.show": "the lasting facts (MEMORY.md)",
  "about.memory.edit": "open MEMORY.md in your editor",
  "about.memory.search": "search facts, the log and past conversations",
  "about.memory.log": "the newest entries of the log (HISTORY.md)",
  "memory.none": "The memory is empty.",
  "memory.noLog": "The log is empty.",
  "memory.noMatch": "Nothing found.",
  "memory.rebuilt": "The search index was damaged ({reason}). It was deleted and made again; nothing else was lost.",
  "memory.noEditor": "No editor is known here. Set EDITOR, or open {path} yourself.",
  "memory.editorFailed": "{editor} could not be used ({detail}). Set EDITOR, or open {path} yourself.",
} as const;
