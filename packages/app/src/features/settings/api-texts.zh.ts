import type { Texts } from "@margay/core/internal";
import type { en } from "./api-texts.en.ts";

export const zh: Texts<typeof en> = {
  hasNoKey: "{model} 还没有密钥：请设置 {variable} 或其提供方的密钥。",
  everyoneMayWrite: "任何人都可以在渠道 {id} 上写入。",
  safetyKeys: "更改 {keys} ",
  comma: "、",
};
