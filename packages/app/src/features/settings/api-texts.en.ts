/** What routes of settings say. */
export const en = {
  hasNoKey: "{model} has no key yet: set {variable}, or the key of its provider.",
  everyoneMayWrite: "Everyone may write on the channel {id}.",
  safetyKeys: "{keys}",
  comma: ", ",
} as const;
