import type { Texts } from "@margay/core/internal";
import type { en } from "./api-texts.en.ts";

export const zh: Texts<typeof en> = {
  noSuchCall: "该会话中没有此调用。",
  listsThem: "GET /api/v1/tools/calls 可列出全部调用。",
};
