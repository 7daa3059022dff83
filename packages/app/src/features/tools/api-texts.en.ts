/** What routes of tools say. */
export const en = {
  noSuchCall: "There is no such call in this session.",
  listsThem: "GET /api/v1/tools/calls lists them.",
} as const;
