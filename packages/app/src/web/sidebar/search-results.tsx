/** Titles at once, messages a moment later with the place where it was said. */
import type { VNode } from "preact";
import { useEffect, useState } from "preact/hooks";
import { api } from "../api.ts";
import { t } from "../texts/chat.ts";
import { shortTime } from "../texts/format.ts";
import { addressOf, followLink } from "../lib/route.ts";
import { listed, putSummary } from "../store/sessions.ts";
import { Marked } from "../ui/marked.tsx";
import { ProblemBox } from "../ui/problem.tsx";
import { Empty, Skeleton } from "../ui/states.tsx";
import type { Page, SearchHit, SessionSummary } from "../wire.ts";
import { drawerOpen } from "../shell/layout.ts";
import { SessionRow } from "./session-row.tsx";

const WAIT_MS = 200;
const TITLES = 20;

export function SearchResults({ query, current }: { query: string; current: string | undefined }): VNode {
  const [found, setFound] = useState<{ query: string; hits?: readonly SearchHit[]; error?: unknown }>();
  useEffect(() => {
    const abort = new AbortController();
    const timer = setTimeout(() => {
      // Titles of chats that the list has not read yet.
      api
        .get<Page<SessionSummary>>("/sessions", { query: { q: query, top: true, limit: TITLES }, signal: abort.signal })
        .then(
          ({ body }) => body.items.forEach(putSummary),
          () => undefined, // what is known is shown; the other read says what is wrong
        );
      const options = { query: { q: query, scope: "messages", limit: 30 }, signal: abort.signal };
      api.get<Page<SearchHit>>("/search", options).then(
        ({ body }) => setFound({ query, hits: body.items }),
        (error: unknown) => {
          if (!abort.signal.aborted) setFound({ query, error });
        },
      );
    }, WAIT_MS);
    return () => {
      clearTimeout(timer);
      abort.abort();
    };
  }, [query]);
  const wanted = query.toLowerCase();
  const titles = listed.value
    .filter(({ title, source }) => source !== "temporary" && title.toLowerCase().includes(wanted))
    .slice(0, TITLES);
  const hits = found?.query === query ? found.hits : undefined;
  return (
    <>
      {titles.map((summary) => (
        <SessionRow key={summary.id} summary={summary} branch={false} current={summary.id === current} />
      ))}
      {found?.error !== undefined && <ProblemBox error={found.error} />}
      {found?.query !== query && <Skeleton lines={3} />}
      {hits !== undefined && hits.length > 0 && (
        <section aria-labelledby="search-hits">
          <div class="side-group" id="search-hits">
            {t("list.hits")}
          </div>
          {hits.map((hit) => (
            <a
              key={`${hit.session}#${hit.item}`}
              class="hit"
              href={addressOf({ page: "chat", session: hit.session, item: hit.item })}
              onClick={(event) => {
                drawerOpen.value = false;
                followLink(event, { page: "chat", session: hit.session, item: hit.item });
              }}
            >
              <div class="row">
                <span class="grow truncate">{hit.title === "" ? t("list.untitled") : hit.title}</span>
                <span class="muted small">{shortTime(hit.at)}</span>
              </div>
              <div class="snippet">
                <Marked text={hit.snippet} ranges={hit.ranges} />
              </div>
            </a>
          ))}
        </section>
      )}
      {hits?.length === 0 && titles.length === 0 && (
        <Empty icon="search">
          <span>{t("list.none", { query })}</span>
        </Empty>
      )}
    </>
  );
}
