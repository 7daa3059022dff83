import type { Texts } from "@margay/core/internal/state";
import { ASKED_WORDS_ZH } from "../../protocol/asked-words.zh.ts";
import type { en } from "./approval.en.ts";

export const zh: Texts<typeof en> = {
  ...ASKED_WORDS_ZH,
  folder: "目录",
  session: "在此对话中允许",
  always: "始终允许…",
  "session.hint": "在此对话中，完全相同的调用不再询问，直到 /new。",
  "always.title": "将为所有对话保存此规则",
  "always.why": "完全符合的调用不再询问，但无人在场的工作除外。可在“审批”页查看和撤回。",
  "always.network": "此后命令连接此主机和端口不再询问，无人在场的工作也一样。可在“审批”页查看和撤回。",
  "always.shares": "此后仅由这些内容得出的答复会直接告诉同一个人，不再询问，只要原文未变。`/shared` 可列出和撤回。",
  "always.shares-title": "以后可以告知的内容",
  "went-on": "命令已在未获答复的情况下继续。现在同意，将用于本轮的下一次调用。",
  "always.save": "保存并允许",
  back: "返回",
  late: "未及时答复：已告知模型，本轮继续。",
  "of-owner": "由操作员答复。",
  elsewhere: "已在别处处理。",
  "kept.session": "在此对话中",
  "kept.always": "在所有对话中",
  "kept.shared": "以后引用这些内容也不再询问",
};
