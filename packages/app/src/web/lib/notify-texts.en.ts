/** Words of browser notifications: that something happened, never what was said. */
export const en = {
  approval: "A call waits for your yes.",
  finished: "A turn is finished.",
  label: "Notify me when this tab is in the background",
  hint: "When a call waits for you or a turn is finished. Without any content.",
  refused: "The browser does not allow it. Change it in the site settings of the browser.",
} as const;
