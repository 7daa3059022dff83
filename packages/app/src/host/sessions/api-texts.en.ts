/** What routes of host/sessions/ say. */
export const en = {
  whatAsksHere: "What asks here ({rule}) asks each time: it can be allowed once.",
  answerRememberOnce: "Answer with remember: once.",
  ruleForAll: "A rule for all chats",
  answerForAnother: "The answer is for another call than {call} is by now.",
  lookAtCall: "Look at the call again.",
  conversationInNo: "This conversation is in no chat app: its answers are here only.",
  sendWithout: "Send it without `deliver`.",
} as const;
