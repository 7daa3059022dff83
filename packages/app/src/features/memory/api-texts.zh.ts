import type { Texts } from "@margay/core/internal";
import type { en } from "./api-texts.en.ts";

export const zh: Texts<typeof en> = {
  noneFilesKept: "这里没有名为 {name} 的文件。",
  theyAre: "可用的文件：{list}。",
  cannotWritten: "无法写入 {name}：{reason}",
  putOrdinaryFile: "请在该位置放置一个普通文件。",
  noSuchSession: "没有此会话。",
  listsThem: "GET /api/v1/sessions 可列出全部会话。",
  turnRunningIn: "该会话正在运行一个回合。",
  waitForEnd: "请等待其结束，或将其停止。",
  noVersionFile: "该文件的版本 {v} 已不存在。",
};
