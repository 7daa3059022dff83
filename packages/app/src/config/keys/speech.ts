/** Keys of replies that are read aloud. */
import type { Key } from "../key.ts";

export const SPEECH_KEYS = [
  {
    path: "speech.reply",
    kind: { is: "choice", of: ["voice", "never"] },
    default: "voice",
  },
  {
    path: "speech.model",
    kind: { is: "either", of: [{ is: "nothing" }, { is: "model" }] },
    default: null,
  },
  {
    path: "speech.voice",
    kind: { is: "text", max: 200 },
    default: "alloy",
  },
  {
    path: "speech.command",
    kind: { is: "list", of: { is: "text" }, max: 64 },
    default: [],
  },
] as const satisfies readonly Key[];
