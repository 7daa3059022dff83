/** Texts of the page of notifications. */
import { speak } from "../../../web/texts/panels.ts";

const TEXTS = {
  why: [
    "What was done for you and sent to no chat, and what could not be done because nobody would have got it.",
    "已为您完成但未发到任何聊天的事项，以及因无人能收到而未执行的事项。",
  ],
  none: ["Nothing so far.", "暂无通知。"],
  new: ["new", "新"],
  result_heartbeat: ["The heartbeat did something", "心跳完成了任务"],
  result_greeting: ["A greeting", "一条问候"],
  undeliverable_heartbeat: [
    "The heartbeat has tasks, and its chat cannot be reached. No model was asked.",
    "心跳有任务，但目标聊天无法送达，未请求模型。",
  ],
  undeliverable_greeting: [
    "The chat to greet cannot be reached. No model was asked.",
    "要问候的聊天无法送达，未请求模型。",
  ],
  undeliverable_cron: [
    "A job was due, and its chat cannot be reached. No model was asked.",
    "定时任务到期，但目标聊天无法送达，未请求模型。",
  ],
  undeliverable_hook: [
    "A webhook was called, and no chat of it can be reached. No model was asked.",
    "收到 Webhook 调用，但其所有聊天均无法送达，未请求模型。",
  ],
  paused: ["A job failed again and again and is paused.", "定时任务反复失败，已暂停。"],
  times: ["{n} times", "{n} 次"],
  read: ["Read", "查看"],
  change: ["Change the chat", "更改聊天"],
  seen: ["Seen", "已读"],
  allSeen: ["Mark all as seen", "全部标为已读"],
} as const;

export const t = speak(TEXTS);
