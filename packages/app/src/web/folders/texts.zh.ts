import type { Texts } from "@margay/core/internal/state";
import type { en } from "./texts.en.ts";

export const zh: Texts<typeof en> = {
  browse: "浏览…",
  title: "选择文件夹",
  up: "上一级文件夹",
  inside: "{path} 中的文件夹",
  none: "其中没有文件夹",
  more: "还有更多；请直接输入路径。",
  take: "使用此文件夹",
};
