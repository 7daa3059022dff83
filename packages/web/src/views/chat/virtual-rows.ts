/** Only the rows near the window are nodes; the end stays in view while it grows, the place in view while pages load above. */
import {
  elementScroll,
  observeElementOffset,
  observeElementRect,
  Virtualizer,
  defaultRangeExtractor,
  type Range,
} from "@tanstack/virtual-core";
import { useLayoutEffect, useReducer, useRef } from "preact/hooks";

export type RowVirtualizer = Virtualizer<HTMLElement, HTMLElement>;

export interface VirtualRowsOptions {
  readonly count: number;
  readonly keyOf: (index: number) => string;
  readonly estimate: (index: number) => number;
  readonly scroller: { readonly current: HTMLElement | null };
}

/** Closer to the end than this, the view follows. */
export const FOLLOW_PX = 40;
const OVERSCAN = 5;

export function useVirtualRows({ count, keyOf, estimate, scroller }: VirtualRowsOptions): RowVirtualizer {
  const [, redraw] = useReducer((times: number) => times + 1, 0);
  const made = useRef<RowVirtualizer>(undefined);
  const options = {
    count,
    getScrollElement: () => scroller.current,
    estimateSize: estimate,
    getItemKey: keyOf,
    scrollToFn: elementScroll,
    observeElementRect,
    observeElementOffset,
    overscan: OVERSCAN,
    paddingStart: 16,
    paddingEnd: 24,
    anchorTo: "end" as const,
    followOnAppend: true,
    scrollEndThreshold: FOLLOW_PX,
    rangeExtractor: (range: Range) => withFocused(range, scroller.current),
    onChange: () => redraw(undefined),
  };
  made.current ??= new Virtualizer<HTMLElement, HTMLElement>(options);
  const virtualizer = made.current;
  virtualizer.setOptions({ ...virtualizer.options, ...options });
  useLayoutEffect(() => virtualizer._didMount(), []);
  useLayoutEffect(() => virtualizer._willUpdate());
  return virtualizer;
}

/** The row that has the focus stays a node, wherever the reader scrolls. */
function withFocused(range: Range, scroller: HTMLElement | null): number[] {
  const indexes = defaultRangeExtractor(range);
  const focused = document.activeElement?.closest<HTMLElement>("[data-index]");
  if (!focused || !scroller?.contains(focused)) return indexes;
  const index = Number(focused.dataset["index"]);
  return indexes.includes(index) || index >= range.count ? indexes : [...indexes, index].sort((a, b) => a - b);
}
