/** Live deltas of one session, gathered and shown once per animation frame; commits take their place. */
import type { Item } from "@margay/core/state";
import { bySomeKind, type LiveEvent, type SomeKinds, type WireRecord } from "@margay/core/internal/state";
import { signal, type ReadonlySignal } from "@preact/signals";
import type { PartialFrame, ServerFrame } from "../wire.ts";
import { overlayFrom, overlayWith, withOutput, type Overlay } from "./overlay.ts";

type CommitFrame = Extract<ServerFrame, { type: "commit" }>;

export interface Live {
  readonly overlay: ReadonlySignal<Overlay | undefined>;
  /** Last output of running calls, by call id. */
  readonly outputs: ReadonlySignal<ReadonlyMap<string, string>>;
  events(turn: string, events: readonly LiveEvent[]): void;
  partial(frame: PartialFrame): void;
  /** What the commit settled is taken off. `changed`: the items it made or touched. */
  commit(frame: CommitFrame, changed: readonly Item[], turn: string | undefined): void;
  keyOf(item: Item): string;
  /** Forgets the keys of other items than these. */
  keepKeys(items: readonly Item[]): void;
  /** The key of what is being written. */
  liveKey(overlay: Overlay): string;
  reset(): void;
}

export function createLive(): Live {
  const overlay = signal<Overlay | undefined>(undefined);
  const outputs = signal<ReadonlyMap<string, string>>(new Map());
  const keys = new Map<string, string>();
  let next: Overlay | undefined;
  let nextOutputs: ReadonlyMap<string, string> = outputs.value;
  let step = 0;
  let frame: number | undefined;

  const flush = (): void => {
    if (frame !== undefined) cancelAnimationFrame(frame);
    frame = undefined;
    overlay.value = next;
    outputs.value = nextOutputs;
  };
  const soon = (): void => {
    // In a hidden tab there are no frames; deltas are off there, what still comes is drawn at once.
    if (document.visibilityState === "hidden") flush();
    else frame ??= requestAnimationFrame(flush);
  };
  const empty = (turn: string): Overlay => ({ turn, step, parts: [], calls: [] });
  const liveKey = (one: Overlay): string => `live:${one.turn}:${String(one.step)}`;

  return {
    overlay,
    outputs,
    events: (turn, events) => {
      const now = Date.now();
      for (const event of events) {
        if (event.type === "tool.progress") {
          const text = withOutput(nextOutputs.get(event.call), event.text);
          nextOutputs = new Map(nextOutputs).set(event.call, text);
        } else next = overlayWith(next?.turn === turn ? next : empty(turn), event, now);
      }
      soon();
    },
    partial: (given) => {
      next = overlayFrom(given, step, Date.now());
      for (const { call, output } of given.calls)
        if (output !== "") nextOutputs = new Map(nextOutputs).set(call, output);
      flush();
    },
    commit: (commit, changed, turn) => {
      const ended = (): void => {
        step += 1;
        next = undefined;
      };
      const settles: SomeKinds<WireRecord, [], void> = {
        "model.responded": () => {
          const item = changed.find((one) => one.kind === "assistant" && one.id.startsWith(`${String(commit.seq)}.`));
          if (next !== undefined && item !== undefined && next.turn === turn) keys.set(item.id, liveKey(next));
          ended();
        },
        "model.failed": ended,
        "turn.ended": ended,
        "tool.finished": ({ message }) => {
          const rest = new Map(nextOutputs);
          rest.delete(message.callId);
          nextOutputs = rest;
        },
      };
      for (const record of commit.records) bySomeKind(settles, record);
      flush();
    },
    keyOf: (item) => keys.get(item.id) ?? item.id,
    keepKeys: (items) => {
      const kept = new Set(items.map(({ id }) => id));
      for (const id of keys.keys()) if (!kept.has(id)) keys.delete(id);
    },
    liveKey,
    reset: () => {
      next = undefined;
      nextOutputs = new Map();
      flush();
    },
  };
}
