/** What a device says: that something waits, never what. */
export const en = {
  none: "Nothing waits for you now.",
  one: "1 thing waits for you.",
  many: "{n} things wait for you.",
} as const;
