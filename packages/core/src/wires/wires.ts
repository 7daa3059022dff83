// The APIs that nearly every vendor has, by name.
import type { WireKind } from "../model/quirks.ts";
import type { Wire } from "../model/wire/wire.ts";
import { anthropicWire } from "./anthropic.ts";
import { chatWire } from "./chat.ts";
import { googleWire } from "./google.ts";
import { responsesWire } from "./responses.ts";

export const WIRES: Readonly<Record<WireKind, Wire>> = {
  anthropic: anthropicWire,
  "openai-chat": chatWire,
  "openai-responses": responsesWire,
  google: googleWire,
};
