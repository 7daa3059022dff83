import type { Texts } from "@margay/core/internal/state";
import type { en } from "./notify-texts.en.ts";

export const zh: Texts<typeof en> = {
  approval: "有调用等待您同意。",
  finished: "一轮已完成。",
  label: "此标签页在后台时通知我",
  hint: "当有调用等待您或一轮完成时。通知不含任何内容。",
  refused: "浏览器不允许。请在浏览器的网站设置中更改。",
};
