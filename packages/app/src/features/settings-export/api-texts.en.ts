/** What routes of backup say. */
export const en = {
  passphraseDoesOpen: "The passphrase does not open the secrets of this backup.",
  tryAgainOr: "Try again, or import without it and enter the secrets by hand.",
  fileNeitherBackup: "The file is neither a backup of margay nor a config.json of nanobot.",
  fileJson: "The file is not JSON{why}",
  fileJsonObject: "The file is not a JSON object.",
  backupHasVersion: "The backup has version {version}; this margay reads {backupVersion}.",
  importMargayWrote: "Import it with the margay that wrote it, or a newer one.",
  backupDamagedAt: "The backup is damaged at {path}{why}",
  backupCompleteHash: "The backup is not complete: its hash is another one.",
  exportingSecrets: "Exporting secrets",
  passphraseBelongsSecrets: "A passphrase belongs to secrets: encrypted, and to nothing else.",
  somethingChangedSince: "Something was changed since the dry run, or it was another file. Nothing was imported.",
  lookAtNew: "Look at a new dry run, and send its token.",
  chooseAnotherFile: "Choose another file. Nothing was changed.",
} as const;
