import type { Texts } from "@margay/core/internal/state";
import type { en } from "./texts.en.ts";

export const zh: Texts<typeof en> = {
  out: "缩小",
  in: "放大",
  fit: "适合窗口，{share} %",
  before: "上一张",
  next: "下一张",
  of: "第 {n} 张，共 {all} 张",
  save: "下载",
};
