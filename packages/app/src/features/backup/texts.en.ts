/** Texts of `margay backup`, `margay move` and `margay restore`. */
export const BACKUP_TEXTS = {
  "about.backup":
    "keep everything that makes this home in a folder or on a server, encrypted; what is there is not written again",
  "about.backup.prune": "remove old snapshots, and what no other one needs",
  "about.backup.drill": "restore a snapshot beside the home, read all of it, and remove it again",
  "about.backup.check": "read every byte of a backup, and name what is lost",
  "about.backup.list": "the snapshots of a backup, the newest first",
  "about.move": "take this home to another place, where it answers from then on, and here no more",
  "about.restore": "make a home of a snapshot, in a folder that is empty or not there",
  "opt.backup.workspace": "files (default), list: their names alone, none: memory and skills alone",
  "opt.backup.passphrase": "a file with the passphrase (default: backup.passphrase, asked for, or standard input)",
  "opt.backup.user": "user of WebDAV, or ID of the key of S3 (default for the target of the settings: backup.user)",
  "opt.backup.passwordFile": "a file with the password or secret of the server (default there: backup.password)",
  "opt.backup.repair": "first drop what is damaged there, then write anew what this home still has",
  "opt.backup.keepLast": "how many of the newest stay (default 3)",
  "opt.backup.keepDaily": "of how many days the newest stays (default 7)",
  "opt.backup.keepWeekly": "of how many weeks (default 5)",
  "opt.backup.keepMonthly": "of how many months (default 12)",
  "opt.move.export":
    "to a folder or server as of a backup, from which `margay restore` makes a home on another machine",
  "opt.move.takeBack": "this home answers again, where the other one was not started",
  "opt.move.lost": "the other home is gone for good: what it did is lost with it",
  "opt.restore.workspace": "where the workspace goes (default: where it lay in the home, else workspace in it)",
  "opt.restore.to": "where the home is made",
  "opt.restore.snapshot": "the beginning of its name (default: the newest)",
  "backup.askPassphrase": "Passphrase of the backup (without it nothing can be restored)",
  "backup.askAgain": "Once more: whoever mistypes it never reads the backup",
  "backup.differ": "The two differ. Nothing was written.",
  "backup.noTarget": "Name a target, or set it: margay config set backup.target TARGET.",
  "backup.shortPassphrase":
    "The passphrase of a backup has at least {count} characters: type it, pipe it in, or name a file with --passphrase-file.",
  "backup.noHome": "There is no home in {home}. Name it with --home.",
  "backup.inside": "{folder} lies inside of what is backed up. Name a folder elsewhere, best on another disk.",
  "backup.unknownTarget": "A target is a folder, s3://BUCKET/FOLDER, webdavs://HOST/FOLDER, or restic:REPOSITORY.",
  "backup.loginInName":
    "A target's name is shown and logged: leave user and password out of it, and set backup.user and backup.password.",
  "backup.progress": "{files} files, {bytes} bytes",
  "backup.done": "Snapshot {name}: {files} files, {bytes} bytes; {added} bytes were new.",
  "backup.unkept":
    "{count} files of the workspace are kept by name alone: it is larger than backup.maxMegabytes. Raise it, or move them.",
  "backup.flawed":
    "{target} has {count} flaw(s): `margay backup check` names them, `margay backup --repair` mends what can be mended.",
  "backup.mend": "`margay backup --repair` drops what is damaged and writes anew what the home still has.",
  "backup.wouldPrune": "{removed} snapshot(s) would go, {kept} stay.",
  "backup.pruned": "{removed} snapshot(s) are gone, {kept} stay; {freed} bytes are free.",
  "backup.drilled":
    "Snapshot {name} was restored for trial: {files} files, {sessions} conversations read, audit log whole.",
  "backup.keepNumber": "How many to keep is a whole number from 0 to 9999.",
  "backup.keepNone": "Nothing would stay. Keep at least one.",
  "backup.size": "{files} files, {bytes} bytes",
  "backup.whole": "Whole: {snapshots} snapshot(s) in {packs} pack(s), every byte read.",
  "backup.flaw.missing": "Missing: {path}",
  "backup.flaw.damaged": "Damaged: {path}",
  "backup.lost": "Lost in snapshot {name}: {what}",
  "backup.lostAll": "everything: its list of files cannot be read",
  "backup.lostConversation": "the conversation {id}",
  "backup.nothingLost": "No snapshot that can be read has lost anything.",
  "backup.told.backup": "The backup could not be made, and is tried again every hour: {reason}",
  "backup.told.check": "The backup is damaged. `margay backup --repair` mends what can be mended: {reason}",
  "backup.told.drill": "The backup was restored for trial, and that failed: {reason}",
  "doctor.backup.none": "There is no backup yet.",
  "doctor.backup.old": "The last backup is of {at}.",
  "doctor.backup.ok": "The last backup is of {at}.",
  "doctor.backup.rehearsed": "The last backup is of {at}; one was restored for trial on {drilled}.",
  "doctor.backup.failed": "The backup of {at} could not be made: {reason}",
  "doctor.backup.damaged": "The backup was damaged when it was read on {at}: {reason}",
  "doctor.backup.drill": "Restoring the backup for trial failed on {at}: {reason}",
  "moved.home":
    "{home} was moved to {to} on {at}, and answers no more. Start margay there with --home {to}. As long as that one was not started, `margay move --take-back` takes it back.",
  "moved.target":
    "{home} was moved to {to} on {at}, and answers no more. `margay restore {to} --to FOLDER` makes a home of it; where that finds no finished move, `margay move --export {to}` finishes it. As long as no home was made of it, `margay move --take-back` takes it back.",
  "moved.unfinished":
    "The move from {from} to {home} was interrupted or taken back, and {from} answers. `margay move {home}` there moves it again; {home} can be removed.",
  "moved.noTicket":
    "Snapshot {name} is of a move that was not finished, and the home that was to be moved may still answer. Run the same `margay move --export` there again, or take another snapshot with --snapshot. If that home is gone for good, add --lost.",
  "moved.claimed":
    "That home is in {home} on {host} since {at}: only one may answer. If that one is gone for good, add --lost.",
  "move.which": "Name one of: the folder of the new home, --export TARGET, --take-back.",
  "move.inside": "{to} and {other} lie inside of each other. Name a folder elsewhere.",
  "move.notMoved": "{home} was not moved: it answers.",
  "move.gone": "{to} is not there: its disk may be missing. If it is gone for good, add --lost.",
  "move.started":
    "{to} was started since the move and is newer. Go on there, or move it: `margay --home {to} move FOLDER`. What it knows would be lost with --lost.",
  "move.done":
    "{from} is in {to} now, and answers there: start margay with --home {to} or MARGAY_HOME. The old folder stays, and does not start any more; remove it when all is well.",
  "move.exported":
    "{from} is in {to} now, and does not start any more. On the other machine: margay restore {to} --to FOLDER.",
  "move.back": "{to} answers again. What was made of it in {from} does not start.",
  "restore.noPlace": "Say where the home is to be made: --to FOLDER.",
  "restore.noSnapshot": "There is no such snapshot. `margay backup list` shows those there are.",
  "restore.workspace": "The workspace is in {workspace}, and the settings name it.",
  "restore.done": "{files} files of {at} are in {home}. Start margay there with --home or MARGAY_HOME.",
} as const;
