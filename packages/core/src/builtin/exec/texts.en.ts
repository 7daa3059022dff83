/** What a person is asked about a command that is running. */
export const en = {
  connect: "{shown} wants {place}",
  push: "git push to {repository}",
} as const;
