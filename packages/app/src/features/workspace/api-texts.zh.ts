import type { Texts } from "@margay/core/internal";
import type { en } from "./api-texts.en.ts";

export const zh: Texts<typeof en> = {
  unusable: "{path} 不能作为工作区：{why}",
  unreadable: "无法打开 {path}：{why}",
};
