/** What the model is saying right now and tools are printing: not yet in the journal, and replaced by it. */
import type { JournalRecord } from "@margay/core";
import {
  bySomeKind,
  type CallId,
  type LiveEvent,
  type Millis,
  type SomeKinds,
  type TurnId,
} from "@margay/core/internal";

/** The whole of it, for a page that comes in the middle or has missed something. */
export interface Partial {
  readonly turn: TurnId;
  readonly parts: readonly { readonly index: number; readonly kind: "text" | "thinking"; readonly text: string }[];
  readonly calls: readonly {
    readonly call: CallId;
    readonly name: string;
    readonly argsText: string;
    /** The last 8 KiB. */
    readonly output: string;
  }[];
  /** Nothing has come for so long, when that was said last. */
  readonly waitedMs?: Millis;
}

export interface Overlay {
  live(event: LiveEvent): void;
  /** A record supersedes what was shown of it. */
  settle(record: JournalRecord): void;
  readonly partial: Partial | undefined;
}

const OUTPUT_CHARS = 8192;

export function createOverlay(): Overlay {
  let turn: TurnId | undefined;
  const parts = new Map<string, Partial["parts"][number]>();
  const calls = new Map<CallId, Partial["calls"][number]>();
  let waitedMs: Millis | undefined;
  const drop = (): void => {
    parts.clear();
    calls.clear();
  };
  // As the pages do: the waiting goes on through a request that is asked again.
  const clear = (): void => {
    waitedMs = undefined;
    drop();
  };
  const onCall = (
    id: CallId,
    change: (call: Partial["calls"][number]) => Partial["calls"][number],
    name: string = calls.get(id)?.name ?? "",
  ): void => {
    calls.set(id, change(calls.get(id) ?? { call: id, name, argsText: "", output: "" }));
  };
  const settles: SomeKinds<JournalRecord, [], void> = {
    "model.requested": drop,
    "model.responded": clear,
    "model.failed": clear,
    "turn.started": clear,
    "turn.ended": () => {
      turn = undefined;
      clear();
    },
    "tool.finished": ({ message }) => void calls.delete(message.callId),
  };
  return {
    live: (event) => {
      if (event.turn !== turn) clear();
      turn = event.turn;
      switch (event.type) {
        case "text.delta":
        case "thinking.delta": {
          const kind = event.type === "text.delta" ? "text" : "thinking";
          const key = `${kind} ${event.index}`;
          parts.set(key, { index: event.index, kind, text: `${parts.get(key)?.text ?? ""}${event.text}` });
          return;
        }
        case "tool-call.delta":
          return onCall(event.call, (call) => ({ ...call, argsText: call.argsText + event.text }), event.name);
        case "tool.progress":
          return onCall(event.call, (call) => ({ ...call, output: (call.output + event.text).slice(-OUTPUT_CHARS) }));
        case "text.restarted":
          return drop();
        case "model.waiting":
          waitedMs = event.waitedMs;
      }
    },
    settle: (record) => bySomeKind(settles, record),
    get partial() {
      if (turn === undefined || (parts.size === 0 && calls.size === 0 && waitedMs === undefined)) return undefined;
      return {
        turn,
        parts: [...parts.values()].toSorted((a, b) => a.index - b.index),
        calls: [...calls.values()],
        ...(waitedMs !== undefined && { waitedMs }),
      };
    },
  };
}
