import type { Texts } from "@margay/core/internal";
import type { en } from "./checks.en.ts";

export const zh: Texts<typeof en> = {
  node: "Node",
  home: "状态目录",
  disk: "磁盘",
  modes: "文件权限",
  lock: "锁",
  moved: "迁移",
  schedule: "定时功能",
  sessions: "会话日志",
  audit: "审计日志",
  storage: "存储",
  config: "配置",
  clock: "时钟与时区",
  workspace: "工作区",
  exec: "命令执行",
  skills: "技能",
  channels: "渠道",
  channelSettings: "渠道设置",
  targets: "结果去向",
  budgets: "预算",
  port: "端口",
  gateway: "网关",
  model: "模型",
  transcription: "语音转文字",
  speech: "文字转语音",
};
