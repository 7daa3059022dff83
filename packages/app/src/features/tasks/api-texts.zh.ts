import type { Texts } from "@margay/core/internal";
import type { en } from "./api-texts.en.ts";

export const zh: Texts<typeof en> = {
  noSuchTask: "没有此任务。",
  listsThem: "GET /api/v1/tasks 可列出全部任务。",
};
