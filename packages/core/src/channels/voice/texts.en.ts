/** What is said aloud beside a reply. */
export const en = {
  rest: "The rest is in the text.",
} as const;
