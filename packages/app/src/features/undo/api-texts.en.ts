/** What routes of undo say. */
export const en = {
  commandTurnRunning: "A command of that turn is running.",
  stopOrWait: "Stop it, or wait for its end.",
  nothingKeptSuch: "Nothing is kept of such a turn.",
  listWhatCan: "List what can be taken back.",
} as const;
