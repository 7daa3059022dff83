import type { Texts } from "@margay/core/internal";
import type { en } from "./api-texts.en.ts";

export const zh: Texts<typeof en> = {
  noWebhook: "没有 webhook {name}。",
  listsThem: "GET /api/v1/hooks 列出全部。",
  nameWebhookLetters: "webhook 的名称由字母、数字、_ 和 - 组成，最多 64 个字符。",
  filterUnderstoodWrite: '无法理解过滤条件。可写作：json.action == "opened"',
  short: "密钥过短：请至少使用 16 个随机字符。",
  placeholder: "这是占位文字，不是密钥。",
  used: "该密钥已用于其他地方。",
  secretSet: "已设置密钥",
  noSecretSet: "未设置密钥：所有请求都会被拒绝。",
  callPassesFilter: "请求符合过滤条件",
  thereIsNone: "未设置。",
  filterWouldIgnore: "过滤条件会忽略此请求。",
  theMessage: "生成的消息",
  chatsGetAnswer: "接收回答的聊天",
  noneStaysIn: "无：回答留在其会话中。",
  channelOff: "渠道未启用。",
};
