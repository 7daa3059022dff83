import type { Texts } from "@margay/core/internal/state";
import type { en } from "./texts.en.ts";

export const zh: Texts<typeof en> = {
  read: "朗读",
  stop: "停止朗读（Esc）",
};
