/** The list of chats page by page: each filter reads as far as somebody scrolled, and once more after a reconnect. */
import { signal, type ReadonlySignal } from "@preact/signals";
import { api } from "../api.ts";
import { newest } from "../lib/newest.ts";
import type { Page, SessionSummary } from "../wire.ts";

export type Query = Readonly<Record<string, string | number | boolean>>;
export type ListState =
  | { readonly status: "loading" | "ready" }
  | { readonly status: "failed"; readonly error: unknown };

export interface SessionPages {
  readonly state: ReadonlySignal<ListState>;
  /** All that changed later than this is known; `-Infinity`: everything is. */
  readonly horizon: ReadonlySignal<number>;
  /** Reads from the newest on as far as was read before, at least one page. */
  refresh(): Promise<void>;
  /** The next page, unless one is on its way or all is there. */
  more(): Promise<void>;
}

export interface SessionPagesDeps {
  /** One for each source that is shown together. */
  readonly queries: readonly Query[];
  /** A read begins; what changes before it ends is newer than what it brings. */
  readonly begin: () => Reading;
}

export interface Reading {
  take(page: readonly SessionSummary[]): void;
  /** All of it was read down to the horizon: what is known beside it is there no more. */
  end(found: ReadonlySet<string>, horizon: number): void;
  /** Always the last word. */
  over(): void;
}

const LIMIT = 100;

interface Part {
  readonly query: Query;
  /** Null: it is at its end. */
  cursor: string | null | undefined;
  oldest: number;
}

export function createSessionPages({ queries, begin }: SessionPagesDeps): SessionPages {
  const state = signal<ListState>({ status: "loading" });
  const horizon = signal(Infinity);
  const ask = newest();
  let parts: readonly Part[] = [];
  let isReading = false;

  const readPage = async (part: Part, take: (page: readonly SessionSummary[]) => void): Promise<void> => {
    const cursor = part.cursor ?? undefined;
    const { body } = await api.get<Page<SessionSummary>>("/sessions", {
      query: { ...part.query, limit: LIMIT, cursor },
    });
    part.cursor = body.next;
    part.oldest = body.next === null ? -Infinity : (body.items.at(-1)?.updatedAt ?? -Infinity);
    take(body.items);
  };
  const horizonOf = (of: readonly Part[]): number => Math.max(-Infinity, ...of.map(({ oldest }) => oldest));

  return {
    state,
    horizon,
    refresh: async () => {
      const isNewest = ask();
      const reading = begin();
      const fresh = queries.map((query): Part => ({ query, cursor: undefined, oldest: Infinity }));
      const found = new Set<string>();
      const until = horizon.peek();
      try {
        for (const part of fresh)
          do {
            await readPage(part, (page) => {
              if (!isNewest()) return; // a later read was answered first
              for (const { id } of page) found.add(id);
              reading.take(page);
            });
            if (!isNewest()) return;
            if (part === fresh[0]) state.value = { status: "ready" };
          } while (part.cursor !== null && part.oldest > until);
        parts = fresh;
        horizon.value = horizonOf(fresh);
        reading.end(found, horizon.value);
        state.value = { status: "ready" };
      } catch (error) {
        if (isNewest()) state.value = { status: "failed", error };
      } finally {
        reading.over();
      }
    },
    more: async () => {
      const next = parts.filter(({ cursor, oldest }) => cursor !== null && oldest >= horizon.peek());
      if (isReading || next.length === 0) return;
      isReading = true;
      const reading = begin();
      const mine = parts;
      try {
        await Promise.all(next.map((part) => readPage(part, (page) => reading.take(page))));
        if (mine !== parts) return; // read anew meanwhile
        horizon.value = horizonOf(parts);
        state.value = { status: "ready" };
      } catch (error) {
        if (mine === parts) state.value = { status: "failed", error };
      } finally {
        isReading = false;
        reading.over();
      }
    },
  };
}
