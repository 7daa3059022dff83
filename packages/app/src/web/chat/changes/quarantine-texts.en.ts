/** Texts of what commands left behind and was kept aside. */
export const en = {
  kept: "Kept aside, because it would run by itself:",
  more: "and {n} more, under Security",
  show: "Show",
  showOf: "Show {path}",
  turn: "{n} {n|thing|things} of this turn would run by {n|itself|themselves} and {n|was|were} kept aside (/quarantine)",
  title: "Kept aside",
  about:
    "A command left this behind. It would run, or be obeyed, when its folder is entered or opened, so it was moved away. Take it back when you know what it does.",
  why: "kept aside for {why}",
  content: "What is in it",
  noText: "It is no text.",
  cut: "Only the beginning is shown.",
  gone: "It is no longer kept: it was taken back, deleted, or older than 30 days.",
  take: "Take back",
  taken: "{path} is back at its place, and yours.",
  remove: "Delete…",
  removeTitle: "Delete for good",
  removeAsk: "Delete {path} for good? It can't be taken back then.",
  removed: "{path} is deleted.",
} as const;
