/** What routes of usage say. */
export const en = {
  raisingBudget: "Raising a budget",
  noIanaTime: "{tz} is no IANA time zone.",
} as const;
