/** What the routes of importing say. */
export const en = {
  itself: "That is margay's own state directory. Give the home of the other system.",
  unknown:
    "{path} is not a nanobot home, a CountBot database or an OpenClaw workspace. Give the folder that holds config.json, openclaw.json or AGENTS.md, or the database file.",
  unreadable: "{path} cannot be read: {why}",
  gone: "{path} is there no more",
  noRestart: "margay would have to begin anew, and nothing here would start it.",
  byCommand: "End margay, then type `margay import {path}`.",
} as const;
