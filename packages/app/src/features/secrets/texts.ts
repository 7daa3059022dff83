/** Texts about the vault, the keyring and `margay secrets`. */
export const SECRET_TEXTS = {
  "about.secrets": {
    en: "keep keys encrypted; config.json names them as ${vault:NAME} or ${keyring:NAME}",
    "zh-CN": "加密保存密钥；config.json 以 ${vault:名称} 或 ${keyring:名称} 引用",
  },
  "about.secrets.set": {
    en: "keep a value: typed without being shown, or from standard input",
    "zh-CN": "保存一个值：隐藏输入，或从标准输入读取",
  },
  "about.secrets.list": { en: "the names in the vault, never a value", "zh-CN": "保险库中的名称，不含任何值" },
  "about.secrets.remove": { en: "forget a value", "zh-CN": "删除一个值" },
  "about.secrets.check": {
    en: "whether the vault opens, whole and unchanged",
    "zh-CN": "检查保险库能否打开且未被改动",
  },
  "about.secrets.rotate": { en: "encrypt everything under a new key", "zh-CN": "用新密钥重新加密全部内容" },
  "opt.keyring": {
    en: "in the keyring of the system instead of the vault",
    "zh-CN": "使用系统密钥环而不是保险库",
  },
  "opt.vaultKey": {
    en: "where the key of the vault is: a file of the state directory, a passphrase, the keyring",
    "zh-CN": "保险库密钥的来源：状态目录中的文件、口令或系统密钥环",
  },
  "secrets.ask": { en: "Value of {name} (not shown)", "zh-CN": "{name} 的值（不显示）" },
  "secrets.askPassphrase": { en: "Passphrase of the vault", "zh-CN": "保险库口令" },
  "secrets.askNewPassphrase": { en: "New passphrase of the vault", "zh-CN": "新的保险库口令" },
  "secrets.shortPassphrase": {
    en: "A passphrase needs at least {count} characters: type it, or pipe it in.",
    "zh-CN": "口令至少需要 {count} 个字符：请键入或通过管道传入。",
  },
  "secrets.empty": {
    en: "No value came. Type it when asked, or pipe it in: `printenv KEY | margay secrets set {name}`.",
    "zh-CN": "没有收到值。请在提示时键入，或通过管道传入：`printenv KEY | margay secrets set {name}`。",
  },
  "secrets.badName": {
    en: "A name is letters, digits, `_`, `.` and `-`, begins with a letter or `_`, and has at most 100 characters. The value is not an argument: it is asked for, or piped in.",
    "zh-CN":
      "名称由字母、数字、`_`、`.` 和 `-` 组成，以字母或 `_` 开头，最多 100 个字符。值不能作为参数：会提示输入，或通过管道传入。",
  },
  "secrets.set": {
    en: "{name} is kept. Write {reference} in config.json.",
    "zh-CN": "{name} 已保存。请在 config.json 中写 {reference}。",
  },
  "secrets.none": {
    en: "The vault is empty. `margay secrets set NAME` keeps a value in it.",
    "zh-CN": "保险库为空。`margay secrets set 名称` 可保存一个值。",
  },
  "secrets.unknown": {
    en: "There is no {name} in the vault. `margay secrets list` shows the names.",
    "zh-CN": "保险库中没有 {name}。`margay secrets list` 列出名称。",
  },
  "secrets.removed": { en: "{name} is gone.", "zh-CN": "{name} 已删除。" },
  "secrets.opens": {
    en: "The vault opens; {count} value(s), whole and unchanged.",
    "zh-CN": "保险库可以打开；共 {count} 个值，完整且未被改动。",
  },
  "secrets.rotated": {
    en: "Everything is encrypted under a new key; the old one opens nothing.",
    "zh-CN": "全部内容已用新密钥加密；旧密钥不再有效。",
  },
  "vault.none": {
    en: "There is no vault yet. `margay secrets set NAME` makes one.",
    "zh-CN": "还没有保险库。`margay secrets set 名称` 可创建。",
  },
  "vault.noKeyFile": {
    en: "The vault is locked: its key {path} does not exist. Restore the file from a backup.",
    "zh-CN": "保险库已锁定：密钥文件 {path} 不存在。请从备份恢复该文件。",
  },
  "vault.noKeyringEntry": {
    en: "The vault is locked: the keyring has no entry {name} of the service margay. Unlock the keyring it was kept in, or restore it.",
    "zh-CN": "保险库已锁定：密钥环中没有服务 margay 的条目 {name}。请解锁或恢复保存它的密钥环。",
  },
  "vault.noPassphrase": {
    en: "The vault is locked and needs its passphrase. Set MARGAY_VAULT_PASSPHRASE_FILE to a file that only you can read, or MARGAY_VAULT_PASSPHRASE.",
    "zh-CN":
      "保险库已锁定，需要口令。请将 MARGAY_VAULT_PASSPHRASE_FILE 设为只有您能读取的文件，或设置 MARGAY_VAULT_PASSPHRASE。",
  },
  "vault.noPassphraseFile": {
    en: "The vault is locked: {path}, which MARGAY_VAULT_PASSPHRASE_FILE names, cannot be read.",
    "zh-CN": "保险库已锁定：无法读取 MARGAY_VAULT_PASSPHRASE_FILE 指定的 {path}。",
  },
  "vault.wrongKey.file": {
    en: "The key file is not the one {path} was written with. Restore the key and the vault from the same backup.",
    "zh-CN": "密钥文件与写入 {path} 时的不同。请从同一备份恢复密钥和保险库。",
  },
  "vault.wrongKey.passphrase": {
    en: "The passphrase is not the one of {path}.",
    "zh-CN": "口令与 {path} 的不符。",
  },
  "vault.wrongKey.keyring": {
    en: "The key in the keyring is not the one {path} was written with.",
    "zh-CN": "密钥环中的密钥与写入 {path} 时的不同。",
  },
  "vault.damaged": {
    en: "{path} was changed by something other than margay, or is damaged: nothing in it is used. Restore it from a backup, or remove it and set its values again.",
    "zh-CN": "{path} 被 margay 以外的程序改动或已损坏：其中内容均不使用。请从备份恢复，或删除后重新设置。",
  },
  "vault.shared": {
    en: "{path} can be read by others on this machine (mode {mode}). `margay doctor --fix` or `chmod 600` repairs it; change what was in it.",
    "zh-CN":
      "本机其他用户可以读取 {path}（权限 {mode}）。请用 `margay doctor --fix` 或 `chmod 600` 修复，并更换其中的内容。",
  },
  "keyring.missing.linux": {
    en: "The program {program} is not installed. Install it (Debian, Ubuntu: libsecret-tools; Fedora: libsecret) or use the vault: `margay secrets set NAME`.",
    "zh-CN":
      "未安装程序 {program}。请安装（Debian、Ubuntu：libsecret-tools；Fedora：libsecret），或使用保险库：`margay secrets set 名称`。",
  },
  "keyring.missing.mac": {
    en: "The program {program} of macOS was not found in PATH. Use the vault instead: `margay secrets set NAME`.",
    "zh-CN": "在 PATH 中找不到 macOS 的 {program}。可改用保险库：`margay secrets set 名称`。",
  },
  "keyring.failed": {
    en: "{program} ended with {status}: {reason}. Is the keyring running and unlocked? A service without a desktop session has none: use the vault.",
    "zh-CN":
      "{program} 以 {status} 结束：{reason}。密钥环是否在运行且已解锁？没有桌面会话的服务没有密钥环：请使用保险库。",
  },
  "fault.vault": {
    en: "the vault has no entry {name}. Set it: `margay secrets set {name}`.",
    "zh-CN": "保险库中没有 {name}。请设置：`margay secrets set {name}`。",
  },
  "fault.keyring": {
    en: "the keyring has no entry {name} of the service margay. Set it: `margay secrets set {name} --keyring`.",
    "zh-CN": "密钥环中没有服务 margay 的条目 {name}。请设置：`margay secrets set {name} --keyring`。",
  },
} as const;
