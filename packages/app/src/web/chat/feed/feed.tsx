/** The messages: follows what is written while the reader is at the end, and stays put when they are not. */
import type { ComponentChildren, VNode } from "preact";
import { useEffect, useMemo, useRef } from "preact/hooks";
import { t } from "../../texts/chat.ts";
import { dayTitle } from "../../texts/format.ts";
import { route } from "../../lib/route.ts";
import type { Chat } from "../../store/chat-state.ts";
import { canReadMarkdown } from "../../markdown/markdown.tsx";
import { lastSeen } from "../../store/seen.ts";
import { Button } from "../../ui/button.tsx";
import { Skeleton } from "../../ui/states.tsx";
import { Answer, type Place } from "./answer-item.tsx";
import { CallGroup } from "../calls/call-group.tsx";
import { useAddressedItem, useFeedControl, useHomeKey } from "./feed-moves.ts";
import { FindBar } from "./find-bar.tsx";
import { findOpen } from "./find.ts";
import { loadAhead, useEndKept, usePartFilled } from "./ends.ts";
import { Hello } from "./hello.tsx";
import { OtherItem, OutgoingItem } from "./other-items.tsx";
import { Rail } from "./rail.tsx";
import { estimateOf, outgoingRows, rowsOf, type Row } from "./rows.ts";
import { TurnStatus } from "./turn-status.tsx";
import { FOLLOW_PX, useVirtualRows, type RowVirtualizer } from "./virtual-rows.ts";

const NO_ROWS: readonly Row[] = [];

/** `main`: the conversation of the page, which keys and the address are about; else one beside it. */
export function Feed({ chat, main = true }: { chat: Chat; main?: boolean }): VNode {
  const scroller = useRef<HTMLDivElement>(null);
  const all = useRows(chat);
  // Rows are measured as they are drawn: none is, before what it says can be drawn as it will stay.
  const waits = all.length > 0 && !canReadMarkdown();
  const rows = waits ? NO_ROWS : all;
  const state = waits ? "loading" : chat.state.value.status;
  const part = chat.part.value !== undefined;
  const virtualizer = useVirtualRows({
    count: rows.length,
    keyOf: (index) => rows[index]?.key ?? "",
    estimate: (index) => estimateOf(rows[index]),
    scroller,
    toEnd: !part,
  });
  const missed = useMissed(chat, virtualizer);
  const follow = useEndKept(scroller, virtualizer, chat);
  useStartAtEnd(main, state, rows.length, virtualizer);
  useOlderForgotten(chat, scroller, follow.isAtEnd);
  useOwnMessagesInView(chat, follow.toEnd);
  usePartFilled(chat, scroller);
  useAddressedItem(main, chat, rows, virtualizer, scroller);
  useFeedControl(main, rows, virtualizer, scroller, follow.toEnd);
  const onHomeKey = useHomeKey(chat, rows, virtualizer, scroller);
  // A window so low that only a line of bookkeeping is drawn: not a feed now.
  const hasArticle = virtualizer.getVirtualItems().some(({ index }) => isArticle(rows[index]));
  return (
    <div class="feed-frame">
      {main && <FindBar chat={chat} />}
      <div
        class="feed"
        ref={scroller}
        role={hasArticle ? "feed" : "region"}
        aria-label={t("feed.title")}
        aria-busy={state === "loading"}
        tabIndex={0}
        onKeyDown={onHomeKey}
        onScroll={(event) => {
          follow.onScroll(event.currentTarget);
          loadAhead(event.currentTarget, chat);
        }}
      >
        {state === "loading" && rows.length === 0 && (
          <div class="column feed-loading">
            <Skeleton lines={6} />
          </div>
        )}
        {main && state !== "loading" && rows.length === 0 && <Hello />}
        <div
          class="feed-content"
          style={{ height: rows.length === 0 ? "0" : `${String(virtualizer.getTotalSize())}px` }}
        >
          <Rows rows={rows} chat={chat} virtualizer={virtualizer} places={virtualizer.getVirtualItems()} />
        </div>
      </div>
      {main && <Rail rows={rows} virtualizer={virtualizer} />}
      {missed !== undefined && (
        <div class="feed-down">
          <Button size="small" icon="arrowDown" onClick={follow.toEnd}>
            {missed > 0 && `${t("feed.down.new", { n: missed })} · `}
            {t("feed.down")}
          </Button>
        </div>
      )}
    </div>
  );
}

interface RowsProps {
  readonly rows: readonly Row[];
  readonly chat: Chat;
  readonly virtualizer: RowVirtualizer;
  /** Others are drawn when these are: the same rows stand elsewhere after a scroll. */
  readonly places: ReturnType<RowVirtualizer["getVirtualItems"]>;
}

/** Those in view, each at its place. */
function Rows({ rows, chat, virtualizer, places }: RowsProps): VNode {
  return (
    <>
      {places.map((place) => {
        const row = rows[place.index];
        return (
          row && (
            <div
              key={row.key}
              class="feed-row"
              ref={virtualizer.measureElement}
              data-index={place.index}
              style={{ transform: `translateY(${String(place.start)}px)` }}
            >
              <RowView
                row={row}
                chat={chat}
                position={place.index + 1}
                total={chat.hasOlder() || chat.part.value !== undefined ? -1 : rows.length}
              />
            </div>
          )
        );
      })}
    </>
  );
}

function isArticle(row: Row | undefined): boolean {
  return row !== undefined && row.kind !== "day" && row.kind !== "new" && row.kind !== "status";
}

/** The settled rows, then what is being written and what the turn is doing. */
function useRows(chat: Chat): readonly Row[] {
  const seen = useMemo(() => (chat.id.peek() === undefined ? undefined : lastSeen(chat.id.peek() ?? "")), [chat]);
  const items = chat.drawn();
  const isPart = chat.part.value !== undefined;
  const outgoing = chat.outgoing.value;
  const turn = chat.turn.value?.id;
  const overlay = chat.live.overlay.value;
  const settled = useMemo(() => rowsOf({ items, turn, seen, keyOf: (item) => chat.keyOf(item) }), [items, turn, seen]);
  if (isPart) return settled;
  const writing = overlay !== undefined && (overlay.parts.length > 0 || overlay.calls.length > 0);
  const rows = [...settled];
  if (overlay && writing)
    rows.push({ kind: "live", key: chat.live.liveKey(overlay), overlay, first: startsAnswer(settled, overlay.turn) });
  if (turn !== undefined) rows.push({ kind: "status", key: "status" });
  return [...rows, ...outgoingRows(outgoing)];
}

function startsAnswer(rows: readonly Row[], turn: string): boolean {
  const last = rows.at(-1);
  return !(last?.kind === "assistant" && last.item.turn === turn) && last?.kind !== "calls";
}

interface RowViewProps {
  readonly row: Row;
  readonly chat: Chat;
  readonly position: number;
  readonly total: number;
}

function RowView({ row, chat, position, total }: RowViewProps): VNode {
  const place: Place = { "aria-posinset": position, "aria-setsize": total };
  switch (row.kind) {
    case "day":
      return <Line>{dayTitle(row.at)}</Line>;
    case "new":
      return (
        <div class="feed-line new">
          <span class="small">{t("feed.new")}</span>
        </div>
      );
    case "live":
    case "assistant":
      return <Answer row={row} chat={chat} place={place} />;
    case "calls":
      return <CallGroup items={row.items} chat={chat} place={place} />;
    case "item":
      return <OtherItem item={row.item} chat={chat} place={place} />;
    case "outgoing":
      return <OutgoingItem message={row.message} chat={chat} place={place} />;
    case "status":
      return <TurnStatus chat={chat} />;
  }
}

function Line({ children }: { children: ComponentChildren }): VNode {
  return (
    <div class="feed-line">
      <span class="muted small">{children}</span>
    </div>
  );
}

/** @returns how many items came since the reader left the end; undefined while they are there. */
function useMissed(chat: Chat, virtualizer: RowVirtualizer): number | undefined {
  const count = chat.items.value.length;
  const left = useRef<number>(undefined);
  const isFar = virtualizer.scrollElement !== null && virtualizer.getDistanceFromEnd() > FOLLOW_PX * 3;
  const away = isFar || chat.part.value !== undefined;
  if (!away) left.current = undefined;
  else left.current ??= count;
  return left.current === undefined ? undefined : Math.max(0, count - left.current);
}

/** When a turn has ended: what lies far above goes, unless somebody reads, searches or has the focus there. */
function useOlderForgotten(
  chat: Chat,
  scroller: { readonly current: HTMLElement | null },
  isAtEnd: () => boolean,
): void {
  const turn = chat.turn.value?.id;
  useEffect(() => {
    if (turn !== undefined || !isAtEnd() || findOpen.peek()) return;
    if (scroller.current?.contains(document.activeElement) === true && document.activeElement !== scroller.current)
      return;
    chat.forgetOlder();
  }, [turn]);
}

/** Opens at the end; once, when the first rows are there. */
function useStartAtEnd(main: boolean, state: string, count: number, virtualizer: RowVirtualizer): void {
  const done = useRef(false);
  useEffect(() => {
    if (done.current || state !== "ready" || count === 0) return;
    done.current = true;
    if (!main || route.peek().item === undefined) virtualizer.scrollToEnd();
  }, [state, count]);
}

/** What you send is seen, wherever you were reading. */
function useOwnMessagesInView(chat: Chat, toEnd: () => void): void {
  const sent = chat.outgoing.value.length;
  useEffect(() => {
    if (sent > 0) toEnd();
  }, [sent]);
}
