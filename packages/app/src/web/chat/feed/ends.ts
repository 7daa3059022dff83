/** The ends of what is drawn: the newest stays in view while it grows; before the others are reached, more is loaded. */
import { useEffect, useLayoutEffect, useRef } from "preact/hooks";
import { route } from "../../lib/route.ts";
import type { Chat } from "../../store/chat-state.ts";
import { FOLLOW_PX, type RowVirtualizer } from "./virtual-rows.ts";

const LOAD_AHEAD_PX = 1_000;

interface EndKept {
  readonly onScroll: (element: HTMLElement) => void;
  readonly isAtEnd: () => boolean;
  /** Of the conversation, whatever is drawn now. */
  readonly toEnd: () => void;
}

/** While the reader is at the end it stays in view: rows grow below, a page or an approval makes the feed smaller. */
export function useEndKept(
  scroller: { readonly current: HTMLElement | null },
  virtualizer: RowVirtualizer,
  chat: Chat,
): EndKept {
  const last = useRef({ top: 0, height: 0, atEnd: route.peek().item === undefined });
  const part = chat.part.value !== undefined;
  useEffect(() => {
    const element = scroller.current;
    if (!element) return undefined;
    const watcher = new ResizeObserver(() => {
      if (last.current.atEnd) virtualizer.scrollToEnd();
    });
    watcher.observe(element);
    return () => watcher.disconnect();
  }, []);
  const total = virtualizer.getTotalSize();
  useLayoutEffect(() => {
    if (part) last.current.atEnd = false; // where it ends, the conversation does not
    if (last.current.atEnd) virtualizer.scrollToEnd();
  }, [total, part]);
  return {
    isAtEnd: () => last.current.atEnd,
    toEnd: () => {
      last.current.atEnd = true;
      chat.leavePart();
      virtualizer.scrollToEnd();
    },
    onScroll: (element) => {
      const { scrollTop: top, scrollHeight: height, clientHeight } = element;
      const { current } = last;
      if (height - top - clientHeight < FOLLOW_PX) current.atEnd = chat.part.peek() === undefined;
      // Only moving leaves the end: when the content grows, the same position is no longer near it.
      else if (top < current.top || (top > current.top && height === current.height)) current.atEnd = false;
      current.top = top;
      current.height = height;
    },
  };
}

/** What will be in view soon. */
export function loadAhead({ scrollTop, scrollHeight, clientHeight }: HTMLElement, chat: Chat): void {
  if (scrollTop < LOAD_AHEAD_PX && chat.hasOlder()) void quietly(chat.loadOlder());
  else if (chat.part.peek() !== undefined && scrollHeight - scrollTop - clientHeight < LOAD_AHEAD_PX)
    void quietly(chat.loadNewer());
}

/** A page of a part may end within the window: nothing is scrolled then that would ask for the next. */
export function usePartFilled(chat: Chat, scroller: { readonly current: HTMLElement | null }): void {
  const part = chat.part.value;
  useEffect(() => {
    if (part !== undefined && scroller.current) loadAhead(scroller.current, chat);
  }, [part]);
}

async function quietly(work: Promise<void>): Promise<void> {
  await work.catch(() => undefined); // asked again at the next scroll
}
