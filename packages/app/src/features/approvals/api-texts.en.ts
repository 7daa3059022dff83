/** What routes of approvals say. */
export const en = {
  noSuchRule: "There is no such rule.",
  listsThem: "GET /api/v1/policy/rules lists them.",
  takingBackRule: "Taking back a rule that protects",
  noTool: "There is no tool {tool}.",
  listsThem2: "GET /api/v1/tools lists them.",
  wouldAskedAnd: "It would be asked, and nobody is there to answer.",
  allowedExactlyFor: "{by} allowed exactly this for all chats.",
} as const;
