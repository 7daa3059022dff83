import type { Texts } from "../lib/texts.ts";
import type { en } from "./texts.en.ts";

export const zh: Texts<typeof en> = {
  own: "性格：\n{text}",
  persona: "性格：{name}。{description}\n特点：{traits}。\n说话方式：{style}",
  comma: "、",
};
