import type { Texts } from "@margay/core/internal";
import type { en } from "./api-texts.en.ts";

export const zh: Texts<typeof en> = {
  browsersOnly: "只有已登录的浏览器才能收到通知：令牌没有推送服务。",
  noKeys: "这不是推送订阅的密钥：p256dh 是 P-256 上的一个点，auth 为 16 个字节。",
  noDevice: "没有这个设备。",
};
