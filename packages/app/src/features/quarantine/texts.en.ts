/** Texts of `margay quarantine`. */
export const QUARANTINE_TEXTS = {
  "about.quarantine":
    "what commands left behind that would have run by itself (.envrc, .vscode/, git hooks, …), kept aside for 30 days",
  "about.quarantine.show": "show what is in it, with its sha256",
  "about.quarantine.restore":
    "put it back to its place, exactly as it is shown: shows it and asks. From then on it counts as yours",
  "about.quarantine.delete": "remove it for good",
  "opt.quarantine.sha256": "only when this is still what is in it, as `show` prints it; with --yes it must be given",
  "quarantine.none": "Nothing is kept aside.",
  "quarantine.head": "Left behind by commands and kept aside, because each would run by itself:",
  "quarantine.next":
    "To see what is in one: margay quarantine show ID · to put it back: margay quarantine restore ID · to remove it: margay quarantine delete ID. After 30 days each is removed.",
  "quarantine.kind.file": "file, {count} bytes",
  "quarantine.kind.directory": "folder, {count} bytes",
  "quarantine.kind.link": "link",
  "quarantine.why": "kept aside for: {why}",
  "quarantine.noText": "(it is no text)",
  "quarantine.cut": "Only the beginning is shown.",
  "quarantine.cutAt": "Only the beginning is shown. All of it: {path}",
  "quarantine.confirm": "Put this back to {path}, where it runs by itself? [y/N] ",
  "quarantine.confirmDelete": "Remove {path} for good? [y/N] ",
  "quarantine.kept": "Nothing was changed.",
  "quarantine.done": "{path} is back at its place, and yours.",
  "quarantine.deleted": "{path} is removed.",
  "quarantine.occupied":
    "Something else is at {path} by now, so nothing was changed. Next: move that away, then: margay quarantine restore {id}",
  "quarantine.changed":
    "What is in {id} is not what was shown, so nothing was changed. Next: look again: margay quarantine show {id}",
  "quarantine.unknown":
    "Nothing is kept aside as {id}. It may have been taken back or removed. Next: see what there is: margay quarantine",
  "quarantine.needHash":
    "Nobody is asked here, so say what you have seen: --yes --sha256 HASH. The hash is in margay quarantine show {id} --json",
} as const;
