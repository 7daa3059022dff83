/** What routes of quarantine say. */
export const en = {
  somethingElseAt: "Something else is at {path} by now, so nothing was changed.",
  moveAwayThen: "Move that away, then take it back.",
  whatShownSo: "It is not what was shown, so nothing was changed.",
  lookAtAgain: "Look at it again.",
  nothingKeptAside: "Nothing is kept aside as {id}. It may have been taken back or removed.",
  listWhat: "List what there is.",
} as const;
