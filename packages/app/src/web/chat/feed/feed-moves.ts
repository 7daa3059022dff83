/** Moves in the feed: by keys, by the rail, to the item of the address; also to rows that are not nodes now. */
import { useEffect, useLayoutEffect, useMemo, useRef, useState } from "preact/hooks";
import { isTyping } from "../../lib/keys.ts";
import { route } from "../../lib/route.ts";
import type { Chat } from "../../store/chat-state.ts";
import { foundTimes } from "./find.ts";
import { feedControl, type FeedControl } from "./feed-control.ts";
import type { Row } from "./rows.ts";
import type { RowVirtualizer } from "./virtual-rows.ts";

/** `#<item>` of the address: loaded, brought to the middle, focused; once, then the reader scrolls. */
export function useAddressedItem(
  main: boolean,
  chat: Chat,
  rows: readonly Row[],
  virtualizer: RowVirtualizer,
  scroller: { readonly current: HTMLElement | null },
): void {
  const wanted = main ? route.value.item : undefined;
  const state = chat.state.value.status;
  const times = foundTimes.value;
  const shown = useRef<string>(undefined);
  useMemo(() => {
    shown.current = undefined;
  }, [wanted, times]);
  const index =
    wanted === undefined || shown.current === wanted || state !== "ready"
      ? -1
      : rows.findIndex((row) => holds(row, wanted));
  // Drawn once, where it will stand: not first where the reader was.
  if (index >= 0) beAt(virtualizer, index);
  useEffect(() => {
    if (wanted !== undefined && state === "ready") chat.reveal(wanted).catch(() => undefined); // the bar says why
  }, [wanted, state, times]);
  useLayoutEffect(() => {
    if (index < 0) return;
    shown.current = wanted;
    virtualizer.scrollToIndex(index, { align: "center" });
    focusWhenThere(scroller, index);
  }, [index, wanted, times]);
}

/** What is drawn next is what stands around this row. */
function beAt(virtualizer: RowVirtualizer, index: number): void {
  virtualizer.getTotalSize(); // brings the places of all rows up to date
  const offset = virtualizer.measurementsCache[index]?.start;
  const height = virtualizer.scrollRect?.height ?? 0;
  const isDrawn = virtualizer.getVirtualItems().some((place) => place.index === index);
  if (offset === undefined || isDrawn) return;
  virtualizer.scrollOffset = Math.max(0, offset - height / 2);
  virtualizer.setOptions({ ...virtualizer.options, overscan: 0 }); // those out of view come with the next drawing
}

export function useFeedControl(
  main: boolean,
  rows: readonly Row[],
  virtualizer: RowVirtualizer,
  scroller: { readonly current: HTMLElement | null },
  toEnd: () => void,
): void {
  const control: FeedControl = {
    toEnd,
    show: (index) => virtualizer.scrollToIndex(index, { align: "start" }),
    step: (which, by) => {
      const here = Number(
        document.activeElement?.closest<HTMLElement>("[data-index]")?.dataset["index"] ?? rows.length,
      );
      for (let index = here + by; index >= 0 && index < rows.length; index += by) {
        const row = rows[index];
        if (!row || (which === "own" ? !isOwn(row) : !isMessage(row))) continue;
        virtualizer.scrollToIndex(index, { align: "auto" });
        focusWhenThere(scroller, index);
        return true;
      }
      return false;
    },
  };
  useEffect(() => {
    if (main) feedControl.value = control;
  });
}

/** Home goes to the first message there is, not to the first that is drawn; another key meanwhile calls that off. */
export function useHomeKey(
  chat: Chat,
  rows: readonly Row[],
  virtualizer: RowVirtualizer,
  scroller: { readonly current: HTMLElement | null },
): (event: KeyboardEvent) => void {
  const [going, setGoing] = useState(false);
  const older = chat.hasOlder();
  useEffect(() => {
    if (!going || older) return;
    setGoing(false);
    virtualizer.scrollToIndex(0, { align: "start" });
    focusWhenThere(scroller, rows.findIndex(isMessage));
  }, [going, older]);
  return (event) => {
    const plain = !(event.altKey || event.shiftKey || event.defaultPrevented || isTyping(event.target));
    setGoing(event.key === "Home" && plain);
    if (event.key !== "Home" || !plain) return;
    event.preventDefault();
    void chat.revealFirst().catch(() => setGoing(false)); // the line is down; the key can be pressed again
  };
}

function focusWhenThere(scroller: { readonly current: HTMLElement | null }, index: number, tries = 10): void {
  requestAnimationFrame(() => {
    const row = scroller.current?.querySelector<HTMLElement>(`[data-index="${String(index)}"] > .item`);
    if (row) row.focus({ preventScroll: true });
    else if (tries > 0) focusWhenThere(scroller, index, tries - 1);
  });
}

function holds(row: Row, item: string): boolean {
  if (row.kind === "assistant" || row.kind === "item") return row.item.id === item;
  return row.kind === "calls" && row.items.some(({ id }) => id === item);
}

export function isOwn(row: Row): boolean {
  return row.kind === "outgoing" || (row.kind === "item" && row.item.kind === "user");
}

function isMessage(row: Row): boolean {
  return isOwn(row) || row.kind === "assistant" || row.kind === "calls" || row.kind === "live";
}
