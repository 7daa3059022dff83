import type { Texts } from "../../lib/texts.ts";
import type { en } from "./texts.en.ts";

export const zh: Texts<typeof en> = {
  withheld: "[指向 {host} 的链接已隐去：它由不可信内容拼成]",
};
