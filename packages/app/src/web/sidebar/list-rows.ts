/** Of a list of thousands only the rows near the window are nodes. */
import { elementScroll, observeElementOffset, observeElementRect, Virtualizer } from "@tanstack/virtual-core";
import { useLayoutEffect, useReducer, useRef } from "preact/hooks";
import { withFocused, type RowVirtualizer } from "../chat/feed/virtual-rows.ts";

export interface ListRowsOptions {
  readonly count: number;
  readonly keyOf: (index: number) => string;
  readonly scroller: { readonly current: HTMLElement | null };
}

/** Before a row was measured. */
const ROW_PX = 48;
const OVERSCAN = 10;

export function useListRows({ count, keyOf, scroller }: ListRowsOptions): RowVirtualizer {
  const [, redraw] = useReducer((times: number) => times + 1, 0);
  const made = useRef<RowVirtualizer>(undefined);
  const options = {
    count,
    getScrollElement: () => scroller.current,
    estimateSize: () => ROW_PX,
    getItemKey: keyOf,
    scrollToFn: elementScroll,
    observeElementRect,
    observeElementOffset,
    overscan: OVERSCAN,
    rangeExtractor: (range: Parameters<typeof withFocused>[0]) => withFocused(range, scroller.current),
    onChange: () => redraw(undefined),
  };
  made.current ??= new Virtualizer<HTMLElement, HTMLElement>(options);
  const virtualizer = made.current;
  virtualizer.setOptions({ ...virtualizer.options, ...options });
  useLayoutEffect(() => virtualizer._didMount(), []);
  useLayoutEffect(() => virtualizer._willUpdate());
  return virtualizer;
}
