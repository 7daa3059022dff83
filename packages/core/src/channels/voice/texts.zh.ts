import type { Texts } from "../../lib/texts.ts";
import type { en } from "./texts.en.ts";

export const zh: Texts<typeof en> = {
  rest: "其余内容请看文字。",
};
