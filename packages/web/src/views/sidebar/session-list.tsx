/** The chats in their groups; loading, empty and failed states. */
import type { VNode } from "preact";
import { t } from "../../i18n/chat.ts";
import { listed, listState, loadSessions } from "../../store/sessions.ts";
import { ProblemBox } from "../../ui/problem.tsx";
import { Empty, Skeleton } from "../../ui/states.tsx";
import { grouped, passes, type Filter } from "./groups.ts";
import { SessionRow } from "./session-row.tsx";

/** More are reached by search: a list of thousands is no list. */
const SHOWN = 300;

export function SessionList({ current, filter }: { current: string | undefined; filter: Filter }): VNode {
  const state = listState.value;
  const sessions = listed.value.filter((one) => passes(filter, one)).slice(0, SHOWN);
  if (sessions.length > 0)
    return (
      <>
        {grouped(sessions, Date.now()).map(({ id, rows }) => (
          <section key={id} aria-labelledby={`group-${id}`}>
            <div class="side-group" id={`group-${id}`}>
              {t(`list.${id}`)}
            </div>
            {rows.map(({ summary, branch }) => (
              <SessionRow key={summary.id} summary={summary} branch={branch} current={summary.id === current} />
            ))}
          </section>
        ))}
      </>
    );
  if (state.status === "failed") return <ProblemBox error={state.error} onRetry={() => void loadSessions()} />;
  if (state.status === "loading") return <Skeleton lines={6} />;
  return (
    <Empty icon="chat">
      <div>
        <div>{filter === "all" ? t("list.empty") : t("list.none", { query: "–" })}</div>
        {filter === "all" && <div class="muted small">{t("list.empty.hint")}</div>}
      </div>
    </Empty>
  );
}
