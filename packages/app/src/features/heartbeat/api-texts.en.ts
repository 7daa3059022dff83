/** What routes of heartbeat say. */
export const en = {
  noBudgetHas: "No budget has room for a request.",
  noChatGreet: "There is no chat to greet yet: nobody has written on a chat platform.",
  off: "The heartbeat is off.",
  paused: "All schedules are paused.",
  practice: "No model is configured.",
  heartbeatMdHas: "HEARTBEAT.md has no open task.",
  heartbeatMdHasOpen: "HEARTBEAT.md has {count} open tasks.",
} as const;
