import type { Texts } from "@margay/core/internal";
import type { en } from "./api-texts.en.ts";

export const zh: Texts<typeof en> = {
  noBudgetHas: "预算不足以再请求一次。",
  cameMargay: "{id} 为内置性格。",
  duplicateAndEdit: "请复制后编辑副本。",
  noPersona: "没有性格 {id}。",
  listsThem: "GET /api/v1/personas 可列出全部。",
  personaAlready: "性格 {id} 已存在。",
  chooseAnotherId: "请换一个标识。",
  myWords: "我的描述",
};
