import type { Texts } from "@margay/core/internal/state";
import type { en } from "./texts.en.ts";

export const zh: Texts<typeof en> = {
  "folder.move": "文件夹…",
  "folder.of": "“{title}”的文件夹",
  "folder.none": "不放入文件夹",
  "folder.new": "新建文件夹",
  "folder.put": "放入",
  "folder.put.done": "“{title}”已放入{folder}",
  "folder.out.done": "“{title}”已不在文件夹中",
  "folder.name": "文件夹 {name}",
  "folder.head": "文件夹",
  "folder.leave": "显示所有对话",
  "folder.empty": "此文件夹中已没有对话",
  "folder.later": "新对话在发送第一条消息后才能放入文件夹",
};
