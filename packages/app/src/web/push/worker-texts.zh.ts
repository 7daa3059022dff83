import type { Texts } from "@margay/core/internal/state";
import type { en } from "./worker-texts.en.ts";

export const zh: Texts<typeof en> = {
  none: "现在没有事项等你处理。",
  one: "有 1 件事等你处理。",
  many: "有 {n} 件事等你处理。",
};
