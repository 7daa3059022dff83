/** The files of a new workspace: path → text, in the order they are written. */
export const en = {
  "AGENTS.md":
    "# Instructions\n\n<!-- Rules the agent follows in every conversation: how you work, what to do first, what to leave alone. -->\n",
  "SOUL.md": "# Character\n\n<!-- Who the agent is when no personality preset is chosen: tone, values, quirks. -->\n",
  "USER.md":
    "# About you\n\n<!-- What the agent should know about you: name, place, languages, work, preferences. -->\n",
  "TOOLS.md": "# Tools\n\n<!-- Notes on using tools here: project commands, machines, things to be careful with. -->\n",
  "HEARTBEAT.md":
    "# Heartbeat\n\n<!-- Tasks to look at every half hour, one per line, for example: - [ ] tell me when the backup is older than a day -->\n",
  "memory/MEMORY.md":
    "# Long-term memory\n\n<!-- Facts the agent keeps; it edits this file, and so may you. One line per fact. -->\n",
} as const;
