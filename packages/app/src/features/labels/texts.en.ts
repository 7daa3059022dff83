/** Texts of `margay trust`. */
export const TRUST_TEXTS = {
  "about.trust":
    "files that count as strangers' text: shows them, asks, and makes what was shown yours (--json alone only lists)",
  "opt.stranger": "the repositories at these paths are a stranger's: not asked again",
  "trust.origin": "came from {origin}. Yours, or a stranger's?",
  "trust.disowned": "{path} is a stranger's.",
  "trust.nobodyAsked": "No repository there waits for an answer.",
  "trust.none": "No file of the workspace counts as strangers' text.",
  "trust.noneThere": "Nothing there counts as strangers' text.",
  "trust.outside": "{path} is outside the workspace ({workspace}). Name a path inside it.",
  "trust.head": "These count as strangers' text:",
  "trust.bytes": "{count} bytes",
  "trust.directory": "directory",
  "trust.confirm": "Vouch for {count} of them, as they are now? [y/N] ",
  "trust.kept": "Nothing was changed.",
  "trust.changed": "{path} has changed since it was shown, so it was left as it is. Look again.",
  "trust.unknown": "{path} is not there any more.",
  "trust.done": "{count} yours from now on. What a stranger has a hand in later counts anew.",
} as const;
