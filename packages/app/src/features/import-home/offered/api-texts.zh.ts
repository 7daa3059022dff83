import type { Texts } from "@margay/core/internal";
import type { en } from "./api-texts.en.ts";

export const zh: Texts<typeof en> = {
  itself: "这是 margay 自己的状态目录。请给出另一个系统的目录。",
  unknown:
    "{path} 不是 nanobot 目录、CountBot 数据库或 OpenClaw 工作区。请给出含有 config.json、openclaw.json 或 AGENTS.md 的文件夹，或数据库文件。",
  unreadable: "无法读取 {path}：{why}",
  gone: "{path}已经不在",
  noRestart: "margay 需要重新启动，但没有程序会重新启动它。",
  byCommand: "请结束 margay，然后输入 `margay import {path}`。",
};
