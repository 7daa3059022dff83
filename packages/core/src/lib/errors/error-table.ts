/** Of each code what it means and what to do: the words of docs/errors.md and of what commands say. */
import type { ErrorCode } from "./error-codes.ts";

/**
 * Every code that can leave the program: cause and remedy. `docs/errors.md` is compared with this table by a test.
 * Codes are stable: a script may branch on them.
 */
export const ERROR_CODES: Readonly<Record<ErrorCode, { readonly cause: string; readonly remedy: string }>> = {
  "internal.bug": { cause: "margay did something its authors did not foresee.", remedy: "Report it with the log." },
  "journal.failed": {
    cause: "A commit could not be written (disk full, read-only, input/output error).",
    remedy: "Free or repair the disk; what was accepted goes on by itself, or at the next start.",
  },
  "journal.damaged": {
    cause: "A journal line other than a torn last one cannot be read.",
    remedy: "Restore the file from a backup, or move it away to start that session anew.",
  },
  "journal.version": {
    cause: "The journal was written by a newer margay.",
    remedy: "Install the version that the message names, or a newer one.",
  },
  "session.fenced": {
    cause: "Another process owns this session now.",
    remedy: "Nothing: the owner continues the turn.",
  },
  "session.not-empty": {
    cause: "History was offered to a session that already has rows.",
    remedy: "Use another session key, or fork.",
  },
  "session.missing": { cause: "No session has that key.", remedy: "List the keys with `margay sessions list`." },
  "session.exists": { cause: "A session with that key exists already.", remedy: "Choose another key." },
  "session.import": {
    cause: "The file is not a transcript margay can read.",
    remedy: "Check the line named in the message.",
  },
  "import.failed": {
    cause: "Another home could not be imported, for instance because the disk is full.",
    remedy: "Nothing was changed. Repair what the message says, then import again.",
  },
  "backup.missing": {
    cause: "There is no backup in that place, no such snapshot in it, or its server does not answer or refuses.",
    remedy: "Name the target that `margay backup` wrote to, and its login; `margay backup list` shows its snapshots.",
  },
  "backup.wrong-key": {
    cause: "The passphrase is not that of this backup.",
    remedy: "Use the passphrase the backup was made with: without it nothing in it can be read.",
  },
  "backup.damaged": {
    cause: "Bytes of a backup are missing or were changed, or a newer margay wrote it.",
    remedy: "Look at `margay backup check`, and restore an older snapshot or a copy of the target.",
  },
  "backup.unusable": {
    cause: "A snapshot was restored for trial, and a conversation or the audit log in it could not be read.",
    remedy: "Make a new backup and try it with `margay backup drill`; `margay doctor` looks at the home itself.",
  },
  "disk.failed": {
    cause: "A file could not be written or opened: the disk is full, read-only or broken, or a limit is reached.",
    remedy: "The message names the place, the cause and what to do.",
  },
  "state.locked": {
    cause: "Another process uses this state directory.",
    remedy: "Stop that process, or use another MARGAY_HOME.",
  },
  "state.moved": {
    cause: "This home was moved: another one answers in its place.",
    remedy: "Start margay there; `margay move --take-back` takes it back as long as that one was not started.",
  },
  "state.inside-workspace": {
    cause: "MARGAY_HOME lies inside the workspace, where tools could rewrite history.",
    remedy: "Move one of them.",
  },
  "blob.missing": {
    cause: "The bytes of an attachment are not in the blob store.",
    remedy: "Restore the blobs directory from a backup.",
  },
  "inbox.refused": { cause: "The message was not accepted.", remedy: "The message says why." },
  "process.stopping": {
    cause: "margay is shutting down.",
    remedy: "Nothing: open turns go on at the next start.",
  },
  "system.stopped": {
    cause: "The emergency stop is on, so nothing new begins.",
    remedy: "Release it: `margay resume --all`, /resume, or the page Security.",
  },
  "turn.cancelled": { cause: "The turn was stopped.", remedy: "Nothing." },
  "doc.conflict": {
    cause: "Somebody else changed the same settings or list at that moment.",
    remedy: "Look at it again, and change it again.",
  },
  "memory.conflict": {
    cause: "MEMORY.md was changed by somebody else while it was being rewritten.",
    remedy: "Nothing: the change is kept and the rewriting is tried again on it.",
  },
  "model.empty": {
    cause: "The model answered nothing, three times.",
    remedy: "Ask again in other words, or choose another model.",
  },
  "model.refused": { cause: "The model refused to answer.", remedy: "Ask differently." },
  "model.attempts": {
    cause: "Every attempt at this request failed or killed the process.",
    remedy: "Look at the log, then send the message again.",
  },
  "budget.exhausted": { cause: "A budget is used up.", remedy: "Wait for the period to end or raise the budget." },
  "provider.auth": { cause: "The provider refused the key.", remedy: "Set a valid key." },
  "provider.no-key": {
    cause: "No key is configured for the provider of the model.",
    remedy: "Set the variable or key named in the message.",
  },
  "provider.quota": { cause: "The account is out of credit or quota.", remedy: "Top up, or use another provider." },
  "provider.rate-limited": { cause: "The provider asked to slow down.", remedy: "Wait; retries are automatic." },
  "provider.overloaded": { cause: "The provider is overloaded or broken.", remedy: "Wait; retries are automatic." },
  "provider.timeout": {
    cause: "The provider did not answer in time.",
    remedy: "Retries are automatic; raise agent.requestTimeoutSeconds for slow models.",
  },
  "provider.silent": {
    cause: "No model said anything within agent.firstTextSeconds of a person's message, over all attempts.",
    remedy:
      "Choose another model with /model, or send the message again; raise agent.firstTextSeconds for slow models.",
  },
  "provider.connection": { cause: "The provider could not be reached.", remedy: "Check the network and the base URL." },
  "provider.truncated": {
    cause: "The stream ended before the answer was finished.",
    remedy: "Retries are automatic while nothing was shown.",
  },
  "provider.malformed": {
    cause: "The provider sent something that is not its protocol.",
    remedy: "Check the base URL and the api kind.",
  },
  "provider.bad-request": {
    cause: "The provider rejected the request.",
    remedy: "Read the provider's sentence in the message.",
  },
  "provider.not-found": {
    cause: "The provider does not know the model or the address.",
    remedy: "Check the model name with `margay models list`.",
  },
  "provider.context-length": {
    cause: "The conversation does not fit the model's context window.",
    remedy: "margay compacts by itself; otherwise start with /new.",
  },
  "provider.media-rejected": {
    cause: "The provider rejected an image or a recording.",
    remedy: "Send it smaller or as another format.",
  },
  "provider.unknown": {
    cause: "The configured provider or model is not in the catalog.",
    remedy: "Use one of the names of `margay models list`.",
  },
  "plugin.missing": {
    cause: "The configuration needs a plugin that is not installed.",
    remedy: "Install it with the command in the message: `margay plugin add NAME`.",
  },
  "plugin.invalid": {
    cause: "A package is not a margay plugin, or cannot be loaded.",
    remedy: "Install one that `margay plugin list` shows, or ask its authors.",
  },
  "plugin.fault": {
    cause: "A plugin threw, took too long, gave the wrong thing or ended.",
    remedy:
      "Nothing else is touched. After three times in five minutes it is suspended: see `margay plugin show NAME`.",
  },
  "plugin.refused": {
    cause: "A plugin was not approved, has changed since, or asks for what its manifest does not name.",
    remedy: "Look at it with `margay plugin show NAME` and run `margay plugin approve NAME`.",
  },
  "plugin.failed": {
    cause: "npm is missing or could not install or remove a package.",
    remedy: "Read npm's last lines in the message.",
  },
  "tool.duplicate": { cause: "Two tools have the same name.", remedy: "Rename or remove one." },
  "tool.invalid": {
    cause: "A tool has a name that no provider takes.",
    remedy: "Rename it: letters, digits, _ and -, at most 64.",
  },
  "tool.failed": { cause: "A tool threw an error.", remedy: "The result names it." },
  "tool.timeout": { cause: "A tool did not finish before its deadline.", remedy: "Split the work or raise the limit." },
  "tool.refused": {
    cause: "A tool refused its arguments: bad input, not found, or not allowed.",
    remedy: "The result says what to do instead.",
  },
  "skill.missing": { cause: "No skill has that name.", remedy: "List the names with `margay skills list`." },
  "skill.refused": {
    cause: "A skill, or what it came in, cannot be used: a link, a bound, a damaged archive, no SKILL.md.",
    remedy: "The message says what is wrong; repair it or ask its author.",
  },
  "skill.approvals": {
    cause: "The file with the approvals of skills cannot be read.",
    remedy: "Repair skills.json, or remove it and approve the skills again.",
  },
  "mcp.failed": {
    cause: "An MCP server could not be started, reached or understood.",
    remedy: "Try `margay mcp test NAME`; the message names the cause.",
  },
  "mcp.login": { cause: "An MCP server wants a sign-in.", remedy: "Run `margay mcp login NAME`." },
  "channel.failed": {
    cause: "A channel could not deliver a message.",
    remedy: "What may pass is tried again; otherwise try `margay channels test NAME`, the message names the cause.",
  },
  "cron.invalid": {
    cause: "A job was described in a way that cannot be run.",
    remedy: "The message begins with the field to correct.",
  },
  "config.invalid": {
    cause: "config.json holds unknown keys, wrong types or values out of range.",
    remedy: "Repair the keys named in the message.",
  },
  "config.unreadable": {
    cause: "config.json cannot be read or is not JSON.",
    remedy: "Repair or restore the file; it is never replaced by defaults.",
  },
  "vault.locked": {
    cause: "The configuration names a value of the vault, and the key of the vault is not there.",
    remedy: "Restore the key file, unlock the keyring, or give the passphrase, as the message says.",
  },
  "vault.wrong-key": {
    cause: "The key or passphrase is not the one the vault was written with.",
    remedy: "Give the right one, or restore key and vault from the same backup.",
  },
  "vault.damaged": {
    cause: "vault.json was changed by something other than margay, or is damaged. Nothing in it is used.",
    remedy: "Restore it from a backup, or remove it and set its values again.",
  },
  "vault.shared": {
    cause: "The vault or its key can be read by others on this machine.",
    remedy: "`margay doctor --fix`, then change the values that were in it.",
  },
  "keyring.failed": {
    cause: "The keyring of the system is absent, locked, or its program is not installed.",
    remedy: "Do what the message says, or keep the value in the vault.",
  },
  "speech.failed": {
    cause:
      "A program that makes the sound of a reply is missing, may not start, or made none. The reply is text alone.",
    remedy: "Do what the message says; `margay doctor` looks at speech.command.",
  },
  "config.changed": {
    cause: "config.json was edited by someone else meanwhile.",
    remedy: "Load it again and repeat the change.",
  },
  "usage.wrong": { cause: "The command line was not understood.", remedy: "See --help." },
};
