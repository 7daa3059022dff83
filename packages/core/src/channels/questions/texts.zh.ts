import type { Texts } from "../../lib/texts.ts";
import type { en } from "./texts.en.ts";

export const zh: Texts<typeof en> = {
  waiting: "有 {n} 个请求等您答复：{kinds}。",
  more: "等您答复的请求较多，不再逐个发出。",
  release: "{n} 条消息",
  ask_person: "{n} 个他人的提问",
  tool: "{n} 个 {name}",
  comma: "，",
  words: "`/allow next` 逐个询问，`/deny all` 全部拒绝。",
  page: "全部请求：{page}",
  "button.next": "逐个询问",
  "button.all": "全部拒绝",
};
