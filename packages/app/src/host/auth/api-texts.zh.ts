import type { Texts } from "@margay/core/internal";
import type { en } from "./api-texts.en.ts";

export const zh: Texts<typeof en> = {
  tooManyWrong: "错误次数过多。",
  waitOrRun: "请等待，或在网关所在的机器上运行 `margay open`：那里生成的链接始终有效。",
  firstSetUp: "首次设置已结束。",
  logInPassword: "请使用密码登录，或在新的状态目录上运行 `margay gateway --setup`。",
  passwordWrong: "密码错误。",
  linkAlreadyUsed: "此链接已被使用。",
  linkTooOld: "此链接已过期。",
  codeKnown: "未知的代码。",
  hasBytesAt: "它有 {bytes} 个字节，至少需要 {minBytes} 个。",
  hasBytesAtMost: "它有 {bytes} 个字节，最多 {maxBytes} 个。",
  amongPasswordsEverybody: "它属于人人首先会尝试的密码。",
  passwordCannotUsed: "不能使用此密码。{why}",
  takeFourOr: "请使用四五个互不相关的词。",
  runForNew: "运行 `margay open` 获取新的。",
};
