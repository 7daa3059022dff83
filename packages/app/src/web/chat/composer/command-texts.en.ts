/** The slash commands, as the menu of the composer lists them. */
export const en = {
  "command.new": "start afresh in this chat",
  "command.stop": "stop what is running",
  "command.status": "model, tokens, what is running",
  "command.model": "show or change the model of this chat",
  "command.persona": "show or change the persona",
  "command.skill": "use a skill with the next message",
  "command.help": "all commands",
} as const;
