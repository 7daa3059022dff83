/** Texts about the vault, the keyring and `margay secrets`. */
export const SECRET_TEXTS = {
  "about.secrets": "keep keys encrypted; config.json names them as ${vault:NAME} or ${keyring:NAME}",
  "about.secrets.set": "keep a value: typed without being shown, or from standard input",
  "about.secrets.list": "the names in the vault, never a value",
  "about.secrets.remove": "forget a value",
  "about.secrets.check": "whether the vault opens, whole and unchanged",
  "about.secrets.rotate": "encrypt everything under a new key",
  "opt.keyring": "in the keyring of the system instead of the vault",
  "opt.vaultKey": "where the key of the vault is: a file of the state directory, a passphrase, the keyring",
  "secrets.ask": "Value of {name} (not shown)",
  "secrets.askPassphrase": "Passphrase of the vault",
  "secrets.askNewPassphrase": "New passphrase of the vault",
  "secrets.shortPassphrase": "A passphrase needs at least {count} characters: type it, or pipe it in.",
  "secrets.empty": "No value came. Type it when asked, or pipe it in: `printenv KEY | margay secrets set {name}`.",
  "secrets.badName":
    "A name is letters, digits, `_`, `.` and `-`, begins with a letter or `_`, and has at most 100 characters. The value is not an argument: it is asked for, or piped in.",
  "secrets.set": "{name} is kept. Write {reference} in config.json.",
  "secrets.none": "The vault is empty. `margay secrets set NAME` keeps a value in it.",
  "secrets.unknown": "There is no {name} in the vault. `margay secrets list` shows the names.",
  "secrets.removed": "{name} is gone.",
  "secrets.opens": "The vault opens; {count} value(s), whole and unchanged.",
  "secrets.rotated": "Everything is encrypted under a new key; the old one opens nothing.",
  "vault.none": "There is no vault yet. `margay secrets set NAME` makes one.",
  "vault.noKeyFile": "The vault is locked: its key {path} does not exist. Restore the file from a backup.",
  "vault.noKeyringEntry":
    "The vault is locked: the keyring has no entry {name} of the service margay. Unlock the keyring it was kept in, or restore it.",
  "vault.noPassphrase":
    "The vault is locked and needs its passphrase. Set MARGAY_VAULT_PASSPHRASE_FILE to a file that only you can read, or MARGAY_VAULT_PASSPHRASE.",
  "vault.noPassphraseFile": "The vault is locked: {path}, which MARGAY_VAULT_PASSPHRASE_FILE names, cannot be read.",
  "vault.wrongKey.file":
    "The key file is not the one {path} was written with. Restore the key and the vault from the same backup.",
  "vault.wrongKey.passphrase": "The passphrase is not the one of {path}.",
  "vault.wrongKey.keyring": "The key in the keyring is not the one {path} was written with.",
  "vault.damaged":
    "{path} was changed by something other than margay, or is damaged: nothing in it is used. Restore it from a backup, or remove it and set its values again.",
  "vault.shared":
    "{path} can be read by others on this machine (mode {mode}). `margay doctor --fix` or `chmod 600` repairs it; change what was in it.",
  "keyring.missing.linux":
    "The program {program} is not installed. Install it (Debian, Ubuntu: libsecret-tools; Fedora: libsecret) or use the vault: `margay secrets set NAME`.",
  "keyring.missing.mac":
    "The program {program} of macOS was not found in PATH. Use the vault instead: `margay secrets set NAME`.",
  "keyring.failed":
    "{program} ended with {status}: {reason}. Is the keyring running and unlocked? A service without a desktop session has none: use the vault.",
  "fault.vault": "the vault has no entry {name}. Set it: `margay secrets set {name}`.",
  "fault.keyring":
    "the keyring has no entry {name} of the service margay. Set it: `margay secrets set {name} --keyring`.",
} as const;
