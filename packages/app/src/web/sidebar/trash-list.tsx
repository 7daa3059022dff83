/** Deleted chats: back into the list, or gone for good. */
import type { VNode } from "preact";
import { useEffect, useState } from "preact/hooks";
import { api } from "../api.ts";
import { fullTime, shortTime } from "../texts/format.ts";
import { t as chat } from "../texts/chat.ts";
import { t } from "./session-texts.ts";
import { summaries } from "../store/sessions.ts";
import { MenuButton } from "../ui/menu.tsx";
import { ProblemBox } from "../ui/problem.tsx";
import { Empty, Skeleton } from "../ui/states.tsx";
import { tell } from "../ui/tell.ts";
import type { Page, SessionSummary } from "../wire.ts";
import { PurgeDialog } from "./purge-dialog.tsx";
import { restore } from "./restore.ts";

/** The newest ones; all are gone after 30 days. */
const SHOWN = 200;

export function TrashList(): VNode {
  const [found, setFound] = useState<{ readonly rows?: readonly SessionSummary[]; readonly error?: unknown }>({});
  const [purging, setPurging] = useState<SessionSummary>();
  const load = (): void => {
    api.get<Page<SessionSummary>>("/sessions", { query: { trashed: true, limit: SHOWN } }).then(
      ({ body }) => setFound({ rows: body.items }),
      (error: unknown) => setFound({ error }),
    );
  };
  useEffect(load, [summaries.value.size]); // one came, or went
  const { rows, error } = found;
  if (error !== undefined) return <ProblemBox error={error} onRetry={load} />;
  if (rows === undefined) return <Skeleton lines={4} />;
  return (
    <section aria-labelledby="group-trash">
      <div class="side-group" id="group-trash">
        {chat("list.trash")}
      </div>
      {rows.length === 0 && (
        <Empty icon="trash">
          <span>{t("trash.empty")}</span>
        </Empty>
      )}
      {rows.map((one) => {
        const title = one.title === "" ? chat("list.untitled") : one.title;
        return (
          <div key={one.id} class="session trashed">
            <span class="trashed-row">
              <span class="title truncate" title={title}>
                {title}
              </span>
              {one.trashedAt !== undefined && (
                <time class="when" dateTime={new Date(one.trashedAt).toISOString()} title={fullTime(one.trashedAt)}>
                  {shortTime(one.trashedAt)}
                </time>
              )}
            </span>
            <MenuButton
              kind="quiet"
              size="small"
              icon="more"
              label={chat("session.menu", { title })}
              entries={() => [
                { label: t("trash.restore"), icon: "refresh", onSelect: () => void tell(restore(one.id)) },
                { label: t("trash.purge"), icon: "trash", danger: true, onSelect: () => setPurging(one) },
              ]}
            />
          </div>
        );
      })}
      {rows.length > 0 && <p class="muted small trash-note">{t("trash.note")}</p>}
      {purging && <PurgeDialog one={purging} onClose={() => setPurging(undefined)} onGone={load} />}
    </section>
  );
}
