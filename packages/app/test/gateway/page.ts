// What a page does with the frames of one session: the same fold as the server's, and an overlay that commits replace.
import { createView, type SessionView } from "@margay/core/state";
import type { Frame } from "./frames.ts";

export interface Page {
  readonly view: SessionView;
  /** What is shown of the answer that is being given. */
  readonly overlay: string;
  /** @throws Error when a commit is missing or comes again. */
  take(frame: Frame): void;
}

export function openPage(session: string): Page {
  let view = createView(session as never); // an id that the gateway gave
  let overlay = "";
  return {
    get view() {
      return view;
    },
    get overlay() {
      return overlay;
    },
    take: (frame) => {
      if (frame.session !== session) return;
      switch (frame.type) {
        case "snapshot":
          view = createView(session as never, { seq: frame.seq, items: frame.items, turn: frame.turn });
          overlay = "";
          return;
        case "commit":
          if (frame.seq !== view.seq + 1) throw new Error(`commit ${frame.seq} after ${view.seq}`);
          view.apply(frame);
          if (frame.records.some((record: Frame) => /^model\.|^turn\.ended/.test(record.type))) overlay = "";
          return;
        case "partial":
          overlay = frame.parts.flatMap((part: Frame) => (part.kind === "text" ? [part.text] : [])).join("");
          return;
        case "live":
          for (const event of frame.events) if (event.type === "text.delta") overlay += event.text;
      }
    },
  };
}
