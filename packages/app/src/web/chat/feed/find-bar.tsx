/** Ctrl+F: what is said in this chat, also in its parts that are not loaded; a second Ctrl+F is the browser's. */
import { signal } from "@preact/signals";
import type { VNode } from "preact";
import { useEffect, useLayoutEffect, useRef, useState } from "preact/hooks";
import { api } from "../../api.ts";
import { t as shared } from "../../texts/index.ts";
import { t } from "../../texts/work.ts";
import { isPressed } from "../../lib/keys.ts";
import { navigate } from "../../lib/route.ts";
import type { Chat } from "../../store/chat-state.ts";
import { Button } from "../../ui/button.tsx";
import { FindLine, toField } from "../../ui/find-line.tsx";
import type { Page, SearchHit } from "../../wire.ts";
import { closeFind, findOpen, foundTimes } from "./find.ts";

/** Until more is typed: the search is quick, what waits for it too. */
const WAIT_MS = 40;
const LIMIT = 200;

interface Found {
  /** Those one can go to, the newest first; undefined: not asked. */
  readonly hits: readonly SearchHit[] | undefined;
  readonly total: number;
}

const asked = signal("");

export function FindBar({ chat }: { chat: Chat }): VNode | null {
  const [{ hits, total }, setFound] = useState<Found>({ hits: undefined, total: 0 });
  const [at, setAt] = useState(0);
  const field = useRef<HTMLInputElement>(null);
  const open = findOpen.value;
  useLayoutEffect(() => {
    if (open) toField(field.current);
  }, [open]);
  useEffect(() => {
    const onKey = (event: KeyboardEvent): void => {
      if (!isPressed(event, "find")) return;
      if (findOpen.value && document.activeElement === field.current) return; // again: the browser's own
      if (chat.id.value === undefined) return;
      event.preventDefault();
      findOpen.value = true;
      toField(field.current); // when it was open already
    };
    addEventListener("keydown", onKey);
    return () => removeEventListener("keydown", onKey);
  }, [chat]);
  const query = asked.value;
  useEffect(() => {
    if (!open || query.trim() === "" || chat.id.value === undefined) {
      setFound({ hits: undefined, total: 0 });
      return undefined;
    }
    const abort = new AbortController();
    const timer = setTimeout(() => {
      const options = { query: { q: query.trim(), session: chat.id.value, limit: LIMIT }, signal: abort.signal };
      api.get<Page<SearchHit> & { readonly total: number }>("/search", options).then(
        ({ body }) => {
          setFound({ hits: body.items, total: body.total });
          show(body.items, 0);
        },
        () => undefined, // the count stays empty; the line says when it is down
      );
    }, WAIT_MS);
    return () => {
      clearTimeout(timer);
      abort.abort();
    };
  }, [query, open, chat]);
  const show = (all: readonly SearchHit[], next: number): void => {
    const place = all.length === 0 ? 0 : (next + all.length) % all.length;
    setAt(place);
    const hit = all[place];
    if (hit === undefined) return;
    chat.reveal(hit.item).catch(() => undefined); // asked for before the page is drawn with its new address
    foundTimes.value += 1;
    navigate({ item: hit.item }, { replace: true });
  };
  if (!open) return null;
  return (
    <div class="find-bar" role="search">
      <FindLine
        field={field}
        autofocus
        label={t("find.label")}
        value={query}
        onValue={(next) => {
          asked.value = next;
        }}
        count={hits === undefined ? "" : hits.length === 0 ? t("find.none") : t("find.count", { at: at + 1, n: total })}
        onGo={(by) => show(hits ?? [], at + by)}
        onEscape={closeFind}
      >
        <Button kind="quiet" size="small" icon="close" label={shared("common.close")} onClick={closeFind} />
      </FindLine>
    </div>
  );
}
