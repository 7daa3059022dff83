import type { Texts } from "@margay/core/internal";
import type { en } from "./api-texts.en.ts";

export const zh: Texts<typeof en> = {
  runsDayAgent: "这相当于每天运行 {count} 次；由助手执行时每次都会请求模型。",
  jobRunningAlready: "任务 {id} 正在运行。",
  jobsSwitchedOff: "定时任务已关闭。",
  setCronEnabled: "将 cron.enabled 设为 true 并重启。",
  noJob: "没有任务 {id}。",
  enoughJobs: "任务已有 {count} 个，请先删除一个。",
  notYourChat: "结果只能发到你自己的对话。",
};
