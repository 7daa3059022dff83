/** Texts of what fills the context. */
export const en = {
  title: "What fills the context",
  part: "Part",
  system: "Instructions",
  tools: "Tools",
  memory: "Memory",
  skills: "Skills",
  messages: "Messages",
  results: "Results of tools",
  why: "The parts are estimated. A summary takes the place of old messages when the context gets full, or now.",
} as const;
