/** What is being written right now: live deltas over the journal, until a commit replaces them. */
import type { LiveEvent } from "@margay/core/internal/state";
import type { PartialFrame } from "../wire.ts";

export interface LivePart {
  readonly index: number;
  readonly kind: "text" | "thinking";
  readonly text: string;
  readonly since: number;
}
/** A call whose arguments are still being written. */
export interface LiveCall {
  readonly call: string;
  readonly name: string;
  readonly argsText: string;
}
export interface Overlay {
  readonly turn: string;
  /** Counts the responses of the turn that were drawn live: part of the key of what is on screen. */
  readonly step: number;
  readonly parts: readonly LivePart[];
  readonly calls: readonly LiveCall[];
  /** Nothing has come for so long. */
  readonly waitedMs?: number;
}

/** Lines of a running tool that are kept. */
const OUTPUT_CHARS = 16_384;

export function overlayWith(overlay: Overlay, event: LiveEvent, now: number): Overlay {
  switch (event.type) {
    case "text.delta":
    case "thinking.delta": {
      const kind = event.type === "text.delta" ? "text" : "thinking";
      const found = overlay.parts.find((part) => part.index === event.index && part.kind === kind);
      const part: LivePart = found
        ? { ...found, text: found.text + event.text }
        : { index: event.index, kind, text: event.text, since: now };
      const others = overlay.parts.filter((one) => one !== found);
      return { ...overlay, parts: [...others, part].sort((a, b) => a.index - b.index) };
    }
    case "tool-call.delta": {
      const found = overlay.calls.find((call) => call.call === event.call);
      const call: LiveCall = {
        call: event.call,
        name: event.name === "" ? (found?.name ?? "") : event.name,
        argsText: (found?.argsText ?? "") + event.text,
      };
      return {
        ...overlay,
        calls: found ? overlay.calls.map((one) => (one === found ? call : one)) : [...overlay.calls, call],
      };
    }
    case "model.waiting":
      return { ...overlay, waitedMs: event.waitedMs };
    case "text.restarted":
      return { ...overlay, parts: [], calls: [] };
    case "tool.progress":
      return overlay; // kept apart: it outlives the response
  }
}

export function overlayFrom(frame: PartialFrame, step: number, now: number): Overlay {
  return {
    turn: frame.turn,
    step,
    parts: frame.parts.map((part) => ({ ...part, since: now })),
    calls: frame.calls
      .filter((call) => call.output === "")
      .map(({ call, name, argsText }) => ({ call, name, argsText })),
    ...(frame.waitedMs !== undefined && { waitedMs: frame.waitedMs }),
  };
}

export function withOutput(before: string | undefined, text: string): string {
  return ((before ?? "") + text).slice(-OUTPUT_CHARS);
}
