import type { Texts } from "@margay/core/internal";
import type { en } from "./api-texts.en.ts";

export const zh: Texts<typeof en> = {
  raisingBudget: "提高预算",
  noIanaTime: "{tz} 不是 IANA 时区。",
};
