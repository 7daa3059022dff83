/** Texts of sharing a chat. */
export const en = {
  none: "Open a chat and choose “Share as a page” in its menu.",
  untitled: "Chat",
  why: "One HTML file, made in this browser: it runs nothing, loads nothing, and can be read anywhere. Nothing is sent; where it goes is up to you. Below is all that leaves.",
  leaves: "{n} {n|message leaves|messages leave}, and:",
  times: "Times",
  pictures: "Pictures ({n})",
  tools: "What tools were asked and answered ({n})",
  thoughts: "Thoughts of the model",
  thinking: "Thoughts",
  maskedNone: "No value in it that margay knows as a secret. Read it before you pass it on.",
  masked:
    "{n} {n|value|values} that margay knows as a secret {n|is|are} masked as [redacted]. Read the rest before you pass it on.",
  save: "Save the page ({size})",
  preview: "What leaves",
  you: "You",
  made: "A chat with margay.",
} as const;
