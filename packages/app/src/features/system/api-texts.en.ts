/** What routes of system say. */
export const en = {
  nothingHereWould: "Nothing here would start margay again after it ended.",
  pressCtrlC: "Press Ctrl+C where it runs, then type `margay gateway`.",
} as const;
