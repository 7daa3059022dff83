/** What routes of presets say. */
export const en = {
  isCommand: "/{name} is a command already. Choose another name.",
  tooMany: "{most} prompts are kept at most. Forget one before you keep {name}.",
  none: "There is no prompt {name}.",
} as const;
