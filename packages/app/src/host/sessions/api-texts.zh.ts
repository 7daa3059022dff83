import type { Texts } from "@margay/core/internal";
import type { en } from "./api-texts.en.ts";

export const zh: Texts<typeof en> = {
  whatAsksHere: "此处的规则（{rule}）每次都会询问，只能允许一次。",
  answerRememberOnce: "请使用 remember: once。",
  ruleForAll: "对所有对话生效的规则",
  answerForAnother: "该答复针对的不是当前的调用 {call}。",
  lookAtCall: "请再看一遍该调用。",
  conversationInNo: "这个会话不属于任何聊天应用，回答只在这里显示。",
  sendWithout: "发送时不要带 `deliver`。",
  isPrivate: "这里的内容仅属于 {person}。",
  openAnyway: "如需仍要打开，请用按钮或 `POST /sessions/ID/open`：{person} 会被告知。",
  writeThem: "除 {person} 外没有人在此发言：请在您自己的聊天中给对方发消息（message）。",
  readPrivate: "读取仅属于 {person} 的内容",
  opened: "此 margay 的所有者打开了本会话，可在一小时内阅读。",
};
