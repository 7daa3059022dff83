/** What routes of hooks say. */
export const en = {
  noWebhook: "There is no webhook {name}.",
  listsThem: "GET /api/v1/hooks lists them.",
  nameWebhookLetters: "The name of a webhook is letters, digits, _ and -, at most 64.",
  filterUnderstoodWrite: 'The filter is not understood. Write for example: json.action == "opened"',
  short: "The secret is too short: use at least 16 random characters.",
  placeholder: "That is a placeholder, not a secret.",
  used: "That secret is used elsewhere already.",
  secretSet: "A secret is set",
  noSecretSet: "No secret is set: every call is refused.",
  callPassesFilter: "The call passes the filter",
  thereIsNone: "There is none.",
  filterWouldIgnore: "The filter would ignore this call.",
  theMessage: "The message",
  chatsGetAnswer: "Chats that get the answer",
  noneStaysIn: "None: it stays in its session.",
  channelOff: "the channel is off.",
} as const;
