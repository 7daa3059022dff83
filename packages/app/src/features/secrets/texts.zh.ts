import type { Texts } from "@margay/core/internal";
import type { SECRET_TEXTS } from "./texts.en.ts";

export const SECRET_TEXTS_ZH: Texts<typeof SECRET_TEXTS> = {
  "about.secrets": "加密保存密钥；config.json 以 ${vault:名称} 或 ${keyring:名称} 引用",
  "about.secrets.set": "保存一个值：隐藏输入，或从标准输入读取",
  "about.secrets.list": "保险库中的名称，不含任何值",
  "about.secrets.remove": "删除一个值",
  "about.secrets.check": "检查保险库能否打开且未被改动",
  "about.secrets.rotate": "用新密钥重新加密全部内容",
  "opt.keyring": "使用系统密钥环而不是保险库",
  "opt.vaultKey": "保险库密钥的来源：状态目录中的文件、口令或系统密钥环",
  "secrets.ask": "{name} 的值（不显示）",
  "secrets.askPassphrase": "保险库口令",
  "secrets.askNewPassphrase": "新的保险库口令",
  "secrets.shortPassphrase": "口令至少需要 {count} 个字符：请键入或通过管道传入。",
  "secrets.empty": "没有收到值。请在提示时键入，或通过管道传入：`printenv KEY | margay secrets set {name}`。",
  "secrets.badName":
    "名称由字母、数字、`_`、`.` 和 `-` 组成，以字母或 `_` 开头，最多 100 个字符。值不能作为参数：会提示输入，或通过管道传入。",
  "secrets.set": "{name} 已保存。请在 config.json 中写 {reference}。",
  "secrets.none": "保险库为空。`margay secrets set 名称` 可保存一个值。",
  "secrets.unknown": "保险库中没有 {name}。`margay secrets list` 列出名称。",
  "secrets.removed": "{name} 已删除。",
  "secrets.opens": "保险库可以打开；共 {count} 个值，完整且未被改动。",
  "secrets.rotated": "全部内容已用新密钥加密；旧密钥不再有效。",
  "vault.none": "还没有保险库。`margay secrets set 名称` 可创建。",
  "vault.noKeyFile": "保险库已锁定：密钥文件 {path} 不存在。请从备份恢复该文件。",
  "vault.noKeyringEntry": "保险库已锁定：密钥环中没有服务 margay 的条目 {name}。请解锁或恢复保存它的密钥环。",
  "vault.noPassphrase":
    "保险库已锁定，需要口令。请将 MARGAY_VAULT_PASSPHRASE_FILE 设为只有您能读取的文件，或设置 MARGAY_VAULT_PASSPHRASE。",
  "vault.noPassphraseFile": "保险库已锁定：无法读取 MARGAY_VAULT_PASSPHRASE_FILE 指定的 {path}。",
  "vault.wrongKey.file": "密钥文件与写入 {path} 时的不同。请从同一备份恢复密钥和保险库。",
  "vault.wrongKey.passphrase": "口令与 {path} 的不符。",
  "vault.wrongKey.keyring": "密钥环中的密钥与写入 {path} 时的不同。",
  "vault.damaged": "{path} 被 margay 以外的程序改动或已损坏：其中内容均不使用。请从备份恢复，或删除后重新设置。",
  "vault.shared":
    "本机其他用户可以读取 {path}（权限 {mode}）。请用 `margay doctor --fix` 或 `chmod 600` 修复，并更换其中的内容。",
  "keyring.missing.linux":
    "未安装程序 {program}。请安装（Debian、Ubuntu：libsecret-tools；Fedora：libsecret），或使用保险库：`margay secrets set 名称`。",
  "keyring.missing.mac": "在 PATH 中找不到 macOS 的 {program}。可改用保险库：`margay secrets set 名称`。",
  "keyring.failed":
    "{program} 以 {status} 结束：{reason}。密钥环是否在运行且已解锁？没有桌面会话的服务没有密钥环：请使用保险库。",
  "fault.vault": "保险库中没有 {name}。请设置：`margay secrets set {name}`。",
  "fault.keyring": "密钥环中没有服务 margay 的条目 {name}。请设置：`margay secrets set {name} --keyring`。",
};
