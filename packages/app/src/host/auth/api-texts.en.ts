/** What routes of host/auth/ say. */
export const en = {
  tooManyWrong: "Too many wrong attempts.",
  waitOrRun: "Wait, or run `margay open` on the machine of the gateway: a link made there always works.",
  firstSetUp: "The first set-up is over.",
  logInPassword: "Log in with the password, or start `margay gateway --setup` on a fresh state directory.",
  passwordWrong: "The password is wrong.",
  linkAlreadyUsed: "This link was already used.",
  linkTooOld: "This link is too old.",
  codeKnown: "This code is not known.",
  hasBytesAt: "It has {bytes} bytes; at least {minBytes} are needed.",
  hasBytesAtMost: "It has {bytes} bytes; at most {maxBytes} are possible.",
  amongPasswordsEverybody: "It is among the passwords that everybody tries first.",
  passwordCannotUsed: "This password cannot be used. {why}",
  takeFourOr: "Take four or five unrelated words.",
  runForNew: "Run `margay open` for a new one.",
} as const;
