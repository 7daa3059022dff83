/** Texts of reading an answer aloud. */
export const en = {
  read: "Read aloud",
  stop: "Stop reading (Esc)",
} as const;
