import type { Texts } from "@margay/core/internal";
import type { en } from "./api-texts.en.ts";

export const zh: Texts<typeof en> = {
  changeNeedsIf: "此更改需要 If-Match，其值为所读内容的 ETag。",
  readThenSend: "请先读取，再以其 ETag 作为 If-Match 发送。",
  changedSinceYou: "读取之后内容已被更改，未写入任何内容。",
  readAgainAnd: "请重新读取，并在其基础上修改。",
  needsScopeOwner: "{what}需要 owner 权限。",
  useTokenScope: "请使用具有该权限的令牌：margay token create --scope owner",
  needsFreshProof: "{what}需要再次确认身份。",
  confirmPasswordOr: "请用密码或 `margay open --code` 给出的代码确认。",
  unbuilt: "网关正在运行，但浏览器页面尚未构建。请运行 <code>npm run build</code> 后刷新。",
  stillReading: "margay 刚刚启动，仍在读取对话。",
  tryInAMoment: "请稍后重试；使用同一个 Idempotency-Key 的消息只会被接受一次。",
};
