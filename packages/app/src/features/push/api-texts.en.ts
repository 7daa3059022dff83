/** What routes of devices say. */
export const en = {
  browsersOnly: "Only a browser that is logged in can be told: a token has no push service.",
  noKeys: "These are no keys of a push subscription: p256dh is a point of P-256, auth 16 bytes.",
  noDevice: "There is no such device.",
} as const;
