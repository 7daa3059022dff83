import type { Texts } from "@margay/core/internal/state";
import type { en } from "./texts.en.ts";

export const zh: Texts<typeof en> = {
  copy: "复制",
  edit: "修改后重问",
  text: "消息",
  again: "重新提问",
  stays: "旧回答保留为分支 {n}",
  actions: "消息操作",
  "fork.before": "在副本中从这条消息之前继续",
  "fork.here": "在副本中从这里继续",
  explain: "解释这一轮",
  branches: "此消息的分支",
};
