/** The rows of `margay backup` and `margay restore` in the table of commands. */
import type { CommandSpec, OptionSpec } from "../../host/cli/command.ts";

const PASSPHRASE: OptionSpec = { flags: "--passphrase-file <file>", about: "opt.backup.passphrase" };

export const BACKUP_COMMANDS: readonly CommandSpec[] = [
  {
    name: "backup",
    args: "<target>",
    about: "about.backup",
    options: [
      { flags: "--workspace <what>", about: "opt.backup.workspace", choices: ["none", "list", "files"] },
      PASSPHRASE,
    ],
    examples: ["margay backup /mnt/disk/margay", "margay backup /mnt/disk/margay --passphrase-file /etc/margay-backup"],
    load: async () => (await import("./command.ts")).runBackup,
  },
  {
    name: "backup check",
    args: "<target>",
    about: "about.backup.check",
    options: [PASSPHRASE],
    load: async () => (await import("./command.ts")).runCheck,
  },
  {
    name: "backup list",
    args: "<target>",
    about: "about.backup.list",
    options: [PASSPHRASE],
    load: async () => (await import("./command.ts")).runList,
  },
  {
    name: "restore",
    args: "<source>",
    about: "about.restore",
    options: [
      { flags: "--to <folder>", about: "opt.restore.to" },
      { flags: "--snapshot <name>", about: "opt.restore.snapshot" },
      PASSPHRASE,
    ],
    examples: ["margay restore /mnt/disk/margay --to ~/.margay"],
    load: async () => (await import("./command.ts")).runRestore,
  },
];
