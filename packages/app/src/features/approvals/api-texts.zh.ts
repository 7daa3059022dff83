import type { Texts } from "@margay/core/internal";
import type { en } from "./api-texts.en.ts";

export const zh: Texts<typeof en> = {
  noSuchRule: "没有此规则。",
  listsThem: "GET /api/v1/policy/rules 列出全部。",
  takingBackRule: "撤回保护性规则",
  noTool: "没有工具 {tool}。",
  listsThem2: "GET /api/v1/tools 列出全部。",
  wouldAskedAnd: "需要询问，但没有人可以回答。",
  allowedExactlyFor: "{by} 已对所有对话允许此调用。",
};
