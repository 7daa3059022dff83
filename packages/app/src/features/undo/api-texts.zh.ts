import type { Texts } from "@margay/core/internal";
import type { en } from "./api-texts.en.ts";

export const zh: Texts<typeof en> = {
  commandTurnRunning: "该轮的命令正在运行。",
  stopOrWait: "请先停止它或等待结束。",
  nothingKeptSuch: "没有保留该轮的改动。",
  listWhatCan: "请查看可以撤销的轮次。",
};
