/** What the prompt says about the persona. */
export const en = {
  own: "Personality:\n{text}",
  persona: "Personality: {name}. {description}\nTraits: {traits}.\nSpeaking style: {style}",
  comma: ", ",
} as const;
