import type { Texts } from "@margay/core/internal/state";
import type { en } from "./texts.en.ts";

export const zh: Texts<typeof en> = {
  label: "在此设备上通知我",
  hint: "当有事项等你处理、而你没有在看 margay 的任何页面时：只有数量，绝不含内容。手机放在口袋里也能收到。",
  insecure: "浏览器只在 HTTPS 和 localhost 上允许此功能。请为 margay 配置 HTTPS，或通过隧道以 localhost 打开。",
  install: "在 iPhone 或 iPad 上：点“分享”，再点“添加到主屏幕”，从那里打开 margay，然后在此处开启。",
  none: "此浏览器没有推送服务。",
  denied: "浏览器不允许此网站发送通知。请在浏览器的网站设置中允许，然后重新加载页面。",
  try: "试一下",
  tried: "已发送，应在几秒内到达。",
  unsent: "{service} 尚未接收上一条消息，会再次尝试。",
  others: "同样会收到通知",
  stop: "停止",
  since: "自 {when}",
  unknown: "某个浏览器",
};
