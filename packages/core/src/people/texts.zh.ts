import type { Texts } from "../lib/texts.ts";
import type { en } from "./texts.en.ts";

export const zh: Texts<typeof en> = {
  withheld: "这些内容我不能在这里说，须由其所有者本人来说。",
};
