import type { Texts } from "@margay/core/internal/state";
import type { en } from "./texts.en.ts";

export const zh: Texts<typeof en> = {
  why: "已为您完成但未发到任何聊天的事项，以及因无人能收到而未执行的事项。",
  none: "暂无通知。",
  new: "新",
  result_heartbeat: "心跳完成了任务",
  result_greeting: "一条问候",
  undeliverable_heartbeat: "心跳有任务，但目标聊天无法送达，未请求模型。",
  undeliverable_greeting: "要问候的聊天无法送达，未请求模型。",
  undeliverable_cron: "定时任务到期，但目标聊天无法送达，未请求模型。",
  undeliverable_hook: "收到 Webhook 调用，但其所有聊天均无法送达，未请求模型。",
  paused: "定时任务反复失败，已暂停。",
  suspended: "插件内容有更改或出错，已暂停，等待您查看",
  question: "有请求等待您批准，且没有可询问的聊天",
  answer: "去答复",
  times: "{n} 次",
  read: "查看",
  change: "更改聊天",
  seen: "已读",
  allSeen: "全部标为已读",
};
