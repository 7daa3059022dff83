/** The chats in their groups, as far as somebody scrolls; loading, empty and failed states. */
import type { VNode } from "preact";
import { useEffect, useMemo } from "preact/hooks";
import { t } from "../texts/chat.ts";
import { programs } from "../lib/preferences.ts";
import { folderOf, listed, pagesOf, type Filter } from "../store/sessions.ts";
import { ProblemBox } from "../ui/problem.tsx";
import { Empty, Skeleton } from "../ui/states.tsx";
import { t as ofFolders } from "./folders/texts.ts";
import { grouped, isOfPrograms, passes, type GroupId, type Row as ChatRow } from "./groups.ts";
import { useListRows } from "./list-rows.ts";
import { SessionRow } from "./session-row.tsx";

interface ListProps {
  readonly current: string | undefined;
  readonly filter: Filter;
  readonly scroller: { readonly current: HTMLElement | null };
}

type Row = { readonly kind: "group"; readonly id: GroupId } | ({ readonly kind: "chat" } & ChatRow);

/** The next page is read when as few rows are left below the window. */
const AHEAD = 30;

export function SessionList({ current, filter, scroller }: ListProps): VNode {
  const pages = pagesOf(filter);
  const state = pages.state.value;
  const horizon = pages.horizon.value;
  const known = listed.value;
  const isHidden = filter === "all" && programs.value === "hidden" ? isOfPrograms : () => false;
  const day = new Date().toDateString();
  const rows = useMemo(() => {
    // What is older than what was read would stand there with gaps between.
    const shown = known.filter(
      (one) => passes(filter, one) && !isHidden(one) && (one.updatedAt >= horizon || one.pinned),
    );
    return grouped(shown, Date.now()).flatMap(({ id, rows: chats }): readonly Row[] => [
      { kind: "group", id },
      ...chats.map((one) => ({ kind: "chat", ...one }) as const),
    ]);
  }, [known, filter, horizon, day, programs.value]);
  const virtualizer = useListRows({ count: rows.length, keyOf: (index) => keyOf(rows[index]), scroller });
  const places = virtualizer.getVirtualItems();
  const last = places.at(-1)?.index ?? -1;
  const wantsMore = state.status === "ready" && horizon !== -Infinity && last >= rows.length - AHEAD;
  useEffect(() => {
    if (wantsMore) void pages.more();
  }, [wantsMore, horizon, pages]);
  const problem =
    state.status === "failed" ? (
      <ProblemBox error={state.error} onRetry={() => void (rows.length > 0 ? pages.more() : pages.refresh())} />
    ) : null;
  if (rows.length > 0)
    return (
      <>
        <div class="side-rows" style={{ height: `${String(virtualizer.getTotalSize())}px` }}>
          {places.map((place) => {
            const row = rows[place.index];
            return row === undefined ? null : (
              <div
                key={place.key}
                ref={virtualizer.measureElement}
                data-index={place.index}
                style={{ transform: `translateY(${String(place.start)}px)` }}
              >
                {row.kind === "group" ? (
                  <div class="side-group" role="heading" aria-level={2}>
                    {t(`list.${row.id}`)}
                  </div>
                ) : (
                  <SessionRow summary={row.summary} branch={row.branch} current={row.summary.id === current} />
                )}
              </div>
            );
          })}
        </div>
        {problem ?? (wantsMore && <Skeleton lines={3} />)}
      </>
    );
  if (problem) return problem;
  if (state.status === "loading" || horizon !== -Infinity) return <Skeleton lines={6} />;
  const isFolder = folderOf(filter) !== undefined;
  return (
    <Empty icon={isFolder ? "folder" : "chat"}>
      <div>
        <div>
          {filter === "all" ? t("list.empty") : isFolder ? ofFolders("folder.empty") : t("list.none", { query: "–" })}
        </div>
        {filter === "all" && <div class="muted small">{t("list.empty.hint")}</div>}
      </div>
    </Empty>
  );
}

function keyOf(row: Row | undefined): string {
  return row?.kind === "chat" ? row.summary.id : `group:${row?.id ?? ""}`;
}
