/** What practice mode says. */
export const en = {
  footer: "*Practice mode: no language model is connected. Set one up with `margay onboard`.*",
  hello:
    "Hello! I am margay in practice mode: a few fixed sentences instead of a language model. Type `help` to see what I understand.",
  help: `I am margay in **practice mode**: not a language model. I understand sentences like these, also joined with “and” or “then”, and carry them out with the real tools:

- list the files here and tell me what README.md is about
- read notes.txt
- run ls -la
- search the web for margay
- remember that I like tea
- every day at 9 remind me to stretch
- spawn a helper to list the files

Connect a model with \`margay onboard\` or \`margay config set model PROVIDER/MODEL\`.`,
  unknown:
    "I did not understand “{text}”. I am in practice mode: not a language model, only a few fixed sentences. Try `help` for examples, or connect a real model with `margay onboard` or `margay config set model PROVIDER/MODEL`.",
  report: "A helper reports:",
  reminder: "Reminder: {text}",
  cut: "This is the beginning; the rest is longer than practice mode shows.",
  extract: "**{subject}** begins: {text}\n\n(An extract, not a summary: practice mode cannot think about a text.)",
  log: "(practice mode: extract, not a summary) {text}",
  noTool: "I could not {doing}: the tool `{tool}` is not available here.",
  notDone: "I did not {doing}.",
  error: "I could not {doing}:",
  denied: "I did not {doing}:",
  interrupted: "I was interrupted while I tried to {doing}; it may or may not have happened:",
  "ok.list": "The files in `{subject}`:",
  "ok.read": "`{subject}`:",
  "ok.run": "I ran `{subject}`:",
  "ok.web": "The web search for “{subject}” found:",
  "ok.remember": "I will remember: {subject}",
  "ok.remind": "Done:",
  "ok.spawn": "I started a helper:",
  "doing.list": "list the files in `{subject}`",
  "doing.read": "read `{subject}`",
  "doing.about": "read `{subject}`",
  "doing.run": "run `{subject}`",
  "doing.web": "search the web for “{subject}”",
  "doing.remember": "remember “{subject}”",
  "doing.remind": "schedule “{subject}”",
  "doing.spawn": "start a helper to {subject}",
} as const;
