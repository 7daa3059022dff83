/** What routes of sessions say. */
export const en = {
  deletingConversationFor: "Deleting a conversation for good",
} as const;
