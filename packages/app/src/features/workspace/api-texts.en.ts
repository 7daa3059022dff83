/** What the routes of folders say. */
export const en = {
  unusable: "{path} cannot be the workspace: {why}",
  unreadable: "{path} cannot be looked into: {why}",
} as const;
