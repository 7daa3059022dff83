/** The Chinese of the areas that the first load holds: fetched by those who read it. Every area that calls `speak` without it is here. */
import { en as commands } from "../chat/composer/command-texts.en.ts";
import { zh as commandsZh } from "../chat/composer/command-texts.zh.ts";
import { en as voice } from "../chat/composer/voice-texts.en.ts";
import { zh as voiceZh } from "../chat/composer/voice-texts.zh.ts";
import { en as notify } from "../lib/notify-texts.en.ts";
import { zh as notifyZh } from "../lib/notify-texts.zh.ts";
import { en as markdown } from "../markdown/texts.en.ts";
import { zh as markdownZh } from "../markdown/texts.zh.ts";
import { en as approval } from "./approval.en.ts";
import { zh as approvalZh } from "./approval.zh.ts";
import { en as chat } from "./chat.en.ts";
import { zh as chatZh } from "./chat.zh.ts";
import { en as common } from "./common.en.ts";
import { zh as commonZh } from "./common.zh.ts";
import { en as work } from "./work.en.ts";
import { zh as workZh } from "./work.zh.ts";

/** English catalog → its Chinese one. */
export const CHINESE: ReadonlyMap<object, Readonly<Record<string, string>>> = new Map<
  object,
  Readonly<Record<string, string>>
>([
  [approval, approvalZh],
  [chat, chatZh],
  [commands, commandsZh],
  [common, commonZh],
  [markdown, markdownZh],
  [notify, notifyZh],
  [voice, voiceZh],
  [work, workZh],
]);
