/** Texts of `margay backup` and `margay restore`. */
export const BACKUP_TEXTS = {
  "about.backup":
    "keep everything that makes this home in a folder, encrypted; what is there already is not written again",
  "about.backup.check": "read every byte of a backup, and name what is lost",
  "about.backup.list": "the snapshots of a backup, the newest first",
  "about.restore": "make a home of a snapshot, in a folder that is empty or not there",
  "opt.backup.workspace": "files (default), list: their names alone, none: memory and skills alone",
  "opt.backup.passphrase": "a file with the passphrase (default: asked for, or standard input)",
  "opt.restore.to": "where the home is made",
  "opt.restore.snapshot": "the beginning of its name (default: the newest)",
  "backup.askPassphrase": "Passphrase of the backup (without it nothing can be restored)",
  "backup.shortPassphrase":
    "The passphrase of a backup has at least {count} characters: type it, pipe it in, or name a file with --passphrase-file.",
  "backup.noHome": "There is no home in {home}. Name it with --home.",
  "backup.inside": "{folder} lies inside of what is backed up. Name a folder elsewhere, best on another disk.",
  "backup.onlyFolders":
    "A target is a folder. For another machine, mount its storage or copy the folder there afterwards.",
  "backup.progress": "{files} files, {bytes} bytes",
  "backup.done": "Snapshot {name}: {files} files, {bytes} bytes; {added} bytes were new.",
  "backup.size": "{files} files, {bytes} bytes",
  "backup.whole": "Whole: {snapshots} snapshot(s) in {packs} pack(s), every byte read.",
  "backup.flaw.missing": "Missing: {path}",
  "backup.flaw.damaged": "Damaged: {path}",
  "backup.lost": "Lost in snapshot {name}: {what}",
  "backup.lostAll": "everything: its list of files cannot be read",
  "backup.lostConversation": "the conversation {id}",
  "backup.nothingLost": "No snapshot that can be read has lost anything. Run `margay backup` again.",
  "restore.noPlace": "Say where the home is to be made: --to FOLDER.",
  "restore.noSnapshot": "There is no such snapshot. `margay backup list` shows those there are.",
  "restore.done": "{files} files of {at} are in {home}. Start margay there with --home or MARGAY_HOME.",
} as const;
