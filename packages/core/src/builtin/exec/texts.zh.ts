import type { Texts } from "../../lib/texts.ts";
import type { en } from "./texts.en.ts";

export const zh: Texts<typeof en> = {
  connect: "{shown} 要连接 {place}",
  push: "git push 到 {repository}",
};
