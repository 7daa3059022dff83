/** What routes of tasks say. */
export const en = {
  noSuchTask: "There is no such task.",
  listsThem: "GET /api/v1/tasks lists them.",
} as const;
