/** The one word that somebody hears who writes too fast. */
import type { AgentSettings } from "../contract/agent-options.ts";
import type { InboundMessage } from "../contract/bus.ts";
import { speaker } from "../lib/texts.ts";
import { en } from "./texts.en.ts";
import { zh } from "./texts.zh.ts";

const say = speaker(en, zh);

/** Others read along in a group: whom it is about is seen by who writes. */
export function floodText({ chat }: InboundMessage, count: number, language: AgentSettings["language"]): string {
  return say(language)(chat === "group" ? "floodInGroup" : "flood", { count });
}
