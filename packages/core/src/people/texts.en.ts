export const en = {
  withheld: "I may not say that here. Its owner must do it.",
} as const;
