/** Texts of what can be done with a message of one's own. */
export const en = {
  copy: "Copy",
  edit: "Edit and ask again",
  text: "Message",
  again: "Ask again",
  stays: "The old answer stays as branch {n}",
  actions: "Message actions",
  "fork.before": "Continue before this in a copy",
  "fork.here": "Continue from here in a copy",
  explain: "Explain this turn",
  branches: "Branches of this message",
} as const;
