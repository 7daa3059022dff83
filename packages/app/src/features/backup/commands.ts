/** The rows of `margay backup`, `margay move` and `margay restore` in the table of commands. */
import type { CommandSpec, OptionSpec } from "../../host/cli/command.ts";

const PASSPHRASE: OptionSpec = { flags: "--passphrase-file <file>", about: "opt.backup.passphrase" };
/** Of a target on a server that is not the one of the settings. */
const LOGIN: readonly OptionSpec[] = [
  { flags: "--user <name>", about: "opt.backup.user" },
  { flags: "--password-file <file>", about: "opt.backup.passwordFile" },
];
/** Against the one thing that keeps two homes from answering: only a person knows it. */
const LOST: OptionSpec = { flags: "--lost", about: "opt.move.lost" };
const SNAPSHOT: OptionSpec = { flags: "--snapshot <name>", about: "opt.restore.snapshot" };

export const BACKUP_COMMANDS: readonly CommandSpec[] = [
  {
    name: "backup",
    args: "[target]",
    about: "about.backup",
    options: [
      { flags: "--workspace <what>", about: "opt.backup.workspace", choices: ["none", "list", "files"] },
      { flags: "--repair", about: "opt.backup.repair" },
      PASSPHRASE,
      ...LOGIN,
    ],
    examples: ["margay backup /mnt/disk/margay", "margay backup webdavs://nas.example/backups/margay"],
    load: async () => (await import("./command.ts")).runBackup,
  },
  {
    name: "backup check",
    args: "[target]",
    about: "about.backup.check",
    options: [PASSPHRASE, ...LOGIN],
    load: async () => (await import("./command-check.ts")).runCheck,
  },
  {
    name: "backup list",
    args: "[target]",
    about: "about.backup.list",
    options: [PASSPHRASE, ...LOGIN],
    load: async () => (await import("./command-check.ts")).runList,
  },
  {
    name: "backup prune",
    args: "[target]",
    about: "about.backup.prune",
    options: [
      { flags: "--keep-last <count>", about: "opt.backup.keepLast" },
      { flags: "--keep-daily <count>", about: "opt.backup.keepDaily" },
      { flags: "--keep-weekly <count>", about: "opt.backup.keepWeekly" },
      { flags: "--keep-monthly <count>", about: "opt.backup.keepMonthly" },
      { flags: "--dry-run", about: "opt.dryRun" },
      PASSPHRASE,
      ...LOGIN,
    ],
    examples: ["margay backup prune /mnt/disk/margay --keep-daily 14 --dry-run"],
    load: async () => (await import("./command-check.ts")).runPrune,
  },
  {
    name: "backup drill",
    args: "[target]",
    about: "about.backup.drill",
    options: [SNAPSHOT, PASSPHRASE, ...LOGIN],
    load: async () => (await import("./command-check.ts")).runDrill,
  },
  {
    name: "move",
    args: "[home]",
    about: "about.move",
    options: [
      { flags: "--export <target>", about: "opt.move.export" },
      { flags: "--take-back", about: "opt.move.takeBack" },
      LOST,
      PASSPHRASE,
      ...LOGIN,
    ],
    examples: ["margay move /mnt/new/margay", "margay move --export /mnt/stick/margay"],
    load: async () => (await import("./move/command.ts")).runMove,
  },
  {
    name: "restore",
    args: "<source>",
    about: "about.restore",
    options: [
      { flags: "--to <folder>", about: "opt.restore.to" },
      { flags: "--workspace <folder>", about: "opt.restore.workspace" },
      SNAPSHOT,
      LOST,
      PASSPHRASE,
      ...LOGIN,
    ],
    examples: ["margay restore /mnt/disk/margay --to ~/.margay"],
    load: async () => (await import("./command.ts")).runRestore,
  },
];
