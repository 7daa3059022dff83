import type { Texts } from "@margay/core/internal";
import type { en } from "./api-texts.en.ts";

export const zh: Texts<typeof en> = {
  nothingHereWould: "结束后没有任何程序会重新启动 margay。",
  pressCtrlC: "在运行它的终端按 Ctrl+C，然后输入 `margay gateway`。",
};
