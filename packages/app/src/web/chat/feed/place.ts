/** What is read stays in sight when the column becomes narrower or wider: every row above it takes another height then. */
import type { RowVirtualizer } from "./virtual-rows.ts";

export interface ReadPlace {
  /** The reader is here now. */
  see(element: HTMLElement, virtualizer: RowVirtualizer): void;
  /** The window has another size: back to where the reader was, if the rows have other heights. */
  keep(element: HTMLElement, virtualizer: RowVirtualizer): void;
}

/** Rows are measured as they are drawn, and what comes into view because of that has to be measured too. */
const FRAMES = 12;
/** One that comes or goes is no other column. */
const SCROLLBAR_PX = 24;

export function createPlace(): ReadPlace {
  let width = 0;
  /** The row in the middle of the window, and how far below its top edge it begins. */
  let read: { readonly key: unknown; readonly below: number } | undefined;
  let left = 0;
  const back = (element: HTMLElement, virtualizer: RowVirtualizer): void => {
    left -= 1;
    const row = virtualizer.measurementsCache.find(({ key }) => key === read?.key);
    if (row === undefined || !element.isConnected) left = 0;
    else if (Math.abs(row.start - element.scrollTop - (read?.below ?? 0)) > 1)
      virtualizer.scrollToOffset(row.start - (read?.below ?? 0));
    if (left > 0) requestAnimationFrame(() => back(element, virtualizer));
  };
  return {
    see: (element, virtualizer) => {
      if (left > 0 || (width !== 0 && Math.abs(element.clientWidth - width) > SCROLLBAR_PX)) return; // not moved by the reader
      width = element.clientWidth;
      const row = virtualizer.getVirtualItemForOffset(element.scrollTop + element.clientHeight / 2);
      read = row === undefined ? undefined : { key: row.key, below: row.start - element.scrollTop };
    },
    keep: (element, virtualizer) => {
      const isOther = Math.abs(element.clientWidth - width) > SCROLLBAR_PX;
      width = element.clientWidth;
      if (!isOther || read === undefined) return;
      const isUnderWay = left > 0;
      left = FRAMES;
      if (!isUnderWay) requestAnimationFrame(() => back(element, virtualizer));
    },
  };
}
