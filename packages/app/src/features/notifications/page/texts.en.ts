/** Texts of the page of notifications. */
export const en = {
  why: "What was done for you and sent to no chat, and what could not be done because nobody would have got it.",
  none: "Nothing so far.",
  new: "new",
  result_heartbeat: "The heartbeat did something",
  result_greeting: "A greeting",
  undeliverable_heartbeat: "The heartbeat has tasks, and its chat cannot be reached. No model was asked.",
  undeliverable_greeting: "The chat to greet cannot be reached. No model was asked.",
  undeliverable_cron: "A job was due, and its chat cannot be reached. No model was asked.",
  undeliverable_hook: "A webhook was called, and no chat of it can be reached. No model was asked.",
  paused: "A job failed again and again and is paused.",
  times: "{n} times",
  read: "Read",
  change: "Change the chat",
  seen: "Seen",
  allSeen: "Mark all as seen",
} as const;
