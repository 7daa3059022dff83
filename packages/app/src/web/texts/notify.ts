/** Words of browser notifications: that something happened, never what was said. */
import { texts, type Text } from "./texts.ts";

const NOTIFY = {
  approval: { en: "A call waits for your yes.", zh: "有调用等待您同意。" },
  finished: { en: "A turn is finished.", zh: "一轮已完成。" },
  label: { en: "Notify me when this tab is in the background", zh: "此标签页在后台时通知我" },
  hint: {
    en: "When a call waits for you or a turn is finished. Without any content.",
    zh: "当有调用等待您或一轮完成时。通知不含任何内容。",
  },
  refused: {
    en: "The browser does not allow it. Change it in the site settings of the browser.",
    zh: "浏览器不允许。请在浏览器的网站设置中更改。",
  },
} as const satisfies Readonly<Record<string, Text>>;

export const t = texts<keyof typeof NOTIFY>(NOTIFY);
