/** What routes of host/sessions/ say. */
export const en = {
  whatAsksHere: "What asks here ({rule}) asks each time: it can be allowed once.",
  answerRememberOnce: "Answer with remember: once.",
  ruleForAll: "A rule for all chats",
  answerForAnother: "The answer is for another call than {call} is by now.",
  lookAtCall: "Look at the call again.",
  conversationInNo: "This conversation is in no chat app: its answers are here only.",
  sendWithout: "Send it without `deliver`.",
  isPrivate: "What is said here is private to {person}.",
  openAnyway: "Open it anyway with the button, or POST /sessions/ID/open: {person} is told.",
  writeThem: "Nobody but {person} writes here: write to them in a chat of yours (message).",
  readPrivate: "Reading what is private to {person}",
  opened: "The owner of this margay opened this conversation and can read it for an hour.",
} as const;
