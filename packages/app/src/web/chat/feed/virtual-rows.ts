/** Only the rows near the window are nodes; the end stays in view while it grows, the place in view while pages load above. */
import {
  elementScroll,
  measureElement,
  observeElementOffset,
  observeElementRect,
  Virtualizer,
  defaultRangeExtractor,
  type Range,
} from "@tanstack/virtual-core";
import { useLayoutEffect, useReducer, useRef, useState } from "preact/hooks";

export type RowVirtualizer = Virtualizer<HTMLElement, HTMLElement>;

export interface VirtualRowsOptions {
  readonly count: number;
  readonly keyOf: (index: number) => string;
  readonly estimate: (index: number) => number;
  readonly scroller: { readonly current: HTMLElement | null };
  /** Whether the last row is the end of the conversation: only that end is followed. */
  readonly toEnd: boolean;
}

/** Closer to the end than this, the view follows. */
export const FOLLOW_PX = 40;
const OVERSCAN = 5;

export function useVirtualRows({ count, keyOf, estimate, scroller, toEnd }: VirtualRowsOptions): RowVirtualizer {
  const [, redraw] = useReducer((times: number) => times + 1, 0);
  const made = useRef<RowVirtualizer>(undefined);
  const [position] = useState(openPosition);
  const options = {
    count,
    getScrollElement: () => scroller.current,
    estimateSize: estimate,
    getItemKey: keyOf,
    scrollToFn: position.scrollTo,
    observeElementRect,
    observeElementOffset: position.observe,
    measureElement: position.measure,
    overscan: OVERSCAN,
    paddingStart: 16,
    paddingEnd: 24,
    anchorTo: "end" as const,
    followOnAppend: toEnd,
    scrollEndThreshold: toEnd ? FOLLOW_PX : -1,
    rangeExtractor: (range: Range) => withFocused(range, scroller.current),
    onChange: () => redraw(undefined),
  };
  made.current ??= new Virtualizer<HTMLElement, HTMLElement>(options);
  const virtualizer = made.current;
  if (hasOtherEnds(virtualizer, count, keyOf)) position.catchUp(virtualizer);
  virtualizer.setOptions({ ...virtualizer.options, ...options });
  useLayoutEffect(() => virtualizer._didMount(), []);
  useLayoutEffect(() => virtualizer._willUpdate());
  return virtualizer;
}

/** Whether rows came or went, which moves the view by what stands above it. */
function hasOtherEnds({ options }: RowVirtualizer, count: number, keyOf: (index: number) => string): boolean {
  if (options.count !== count) return true;
  return count > 0 && [0, count - 1].some((index) => options.getItemKey(index) !== keyOf(index));
}

interface Position {
  readonly observe: typeof observeElementOffset<HTMLElement>;
  readonly measure: typeof measureElement<HTMLElement>;
  readonly scrollTo: typeof elementScroll<HTMLElement>;
  /** Says now what the next scroll event will say. */
  catchUp(virtualizer: RowVirtualizer): void;
}

/**
 * Where the view is, also between a scroll and its event, which comes with the next frame: a page that arrives or a row
 * that is measured in between would else be placed against where the reader was, and take back what they scrolled.
 */
function openPosition(): Position {
  let known: number | undefined;
  let report: ((offset: number, isScrolling: boolean) => void) | undefined;
  const catchUp = ({ scrollElement }: RowVirtualizer): void => {
    if (scrollElement === null || scrollElement.scrollTop === known) return;
    known = scrollElement.scrollTop;
    report?.(known, true);
  };
  return {
    catchUp,
    observe: (virtualizer, take) => {
      known = virtualizer.scrollElement?.scrollTop;
      report = take;
      return observeElementOffset(virtualizer, (offset, isScrolling) => {
        known = offset;
        take(offset, isScrolling);
      });
    },
    measure: (element, entry, virtualizer) => {
      if (entry) catchUp(virtualizer);
      return measureElement(element, entry, virtualizer);
    },
    // Read back: what was asked for may lie beyond the end, and is no scroll of the reader's.
    scrollTo: (offset, options, virtualizer) => {
      elementScroll(offset, options, virtualizer);
      known = virtualizer.scrollElement?.scrollTop;
    },
  };
}

/** The row that has the focus stays a node, wherever the reader scrolls. */
export function withFocused(range: Range, scroller: HTMLElement | null): number[] {
  const indexes = defaultRangeExtractor(range);
  const focused = document.activeElement?.closest<HTMLElement>("[data-index]");
  if (!focused || !scroller?.contains(focused)) return indexes;
  const index = Number(focused.dataset["index"]);
  return indexes.includes(index) || index >= range.count ? indexes : [...indexes, index].sort((a, b) => a - b);
}
