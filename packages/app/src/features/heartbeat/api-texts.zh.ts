import type { Texts } from "@margay/core/internal";
import type { en } from "./api-texts.en.ts";

export const zh: Texts<typeof en> = {
  noBudgetHas: "预算不足以再请求一次。",
  noChatGreet: "还没有可以问候的聊天：尚无人在聊天平台上发过消息。",
  off: "心跳检查已关闭。",
  paused: "所有定时功能已暂停。",
  practice: "尚未配置模型。",
  heartbeatMdHas: "HEARTBEAT.md 中没有未完成的任务。",
  heartbeatMdHasOpen: "HEARTBEAT.md 中有 {count} 项未完成的任务。",
};
