/** Texts of the devices that are told. */
export const en = {
  label: "Tell me on this device",
  hint: "When something waits for you and you look at no page of margay: a count, never a word of what it is. It reaches a phone in your pocket too.",
  insecure:
    "Browsers allow this on HTTPS and on localhost only. Put margay behind HTTPS, or open it by a tunnel to localhost.",
  install: "On an iPhone or iPad: Share, then “Add to Home Screen”, open margay from there, and switch it on here.",
  none: "This browser has no push service.",
  denied:
    "The browser does not allow notifications here. Allow them in its settings for this site, then load the page again.",
  try: "Try it",
  tried: "Sent. It should arrive within seconds.",
  unsent: "{service} has not taken the last message yet; it is tried again.",
  others: "Told too",
  stop: "Stop",
  since: "since {when}",
  unknown: "A browser",
} as const;
