/** What stands in a text in place of what is not shown. */
export const en = {
  withheld: "[link to {host} withheld: it was put together from untrusted content]",
} as const;
