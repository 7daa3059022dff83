/** What routes of host/api/ say. */
export const en = {
  changeNeedsIf: "This change needs If-Match with the ETag of what you saw.",
  readThenSend: "Read it, then send its ETag as If-Match.",
  changedSinceYou: "It was changed since you read it. Nothing was written.",
  readAgainAnd: "Read it again and make your change on that.",
  needsScopeOwner: "{what} needs the scope owner.",
  useTokenScope: "Use a token with that scope: margay token create --scope owner",
  needsFreshProof: "{what} needs a fresh proof that it is you.",
  confirmPasswordOr: "Confirm with the password, or with the code of `margay open --code`.",
  unbuilt: "The gateway runs, but its browser page has not been built. Run <code>npm run build</code> and reload.",
  stillReading: "margay has just started and is still reading its conversations.",
  tryInAMoment: "Try again in a moment; a message with the same Idempotency-Key is taken once.",
} as const;
