import type { Texts } from "@margay/core/internal";
import type { en } from "./api-texts.en.ts";

export const zh: Texts<typeof en> = {
  passphraseDoesOpen: "该口令无法打开此备份中的密钥。",
  tryAgainOr: "请重试，或不带口令导入并手动填写密钥。",
  fileNeitherBackup: "该文件既不是 margay 的备份，也不是 nanobot 的 config.json。",
  fileJson: "该文件不是 JSON{why}。",
  fileJsonObject: "该文件不是 JSON 对象。",
  backupHasVersion: "备份版本为 {version}，此 margay 只能读取版本 {backupVersion}。",
  importMargayWrote: "请用写入它的 margay 或更新的版本导入。",
  backupDamagedAt: "备份在 {path} 处损坏{why}。",
  backupCompleteHash: "备份不完整：校验值不符。",
  exportingSecrets: "导出密钥",
  passphraseBelongsSecrets: "口令须与 secrets: encrypted 一起给出，且仅用于此。",
  somethingChangedSince: "预览之后内容有变，或文件不同。未导入任何内容。",
  lookAtNew: "请重新预览，并发送其 token。",
  chooseAnotherFile: "请选择其他文件。未做任何更改。",
};
