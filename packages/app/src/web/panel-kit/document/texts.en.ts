/** Texts of a file that is edited. */
export const en = {
  editorOf: "Text of {name}",
  note: "Why (optional, kept with the version)",
  savedNotice: "Saved. Chats at work are told at their next turn.",
  savedNone: "Saved. It is in no prompt.",
  conflict: "{name} was changed while you wrote",
  conflictWhy: "Each difference stands below. Choose what to keep; saving writes one text with your choices.",
  conflictAsk: "Difference {n}",
  keepTheirs: "as it is saved now",
  keepMine: "as you wrote it",
  keepBoth: "both",
  baseText: "The text you began with",
  saveMerged: "Save the merged text",
  gone: "(nothing)",
} as const;
