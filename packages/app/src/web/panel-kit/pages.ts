/** A list that comes in pages: the first at once, more when asked. */
import { useCallback, useMemo, useRef, useState } from "preact/hooks";
import { languageTag } from "../texts/index.ts";
import { newest } from "../lib/newest.ts";
import { api, toProblem, type Problem } from "./api.ts";
import { useLoads } from "./loads.ts";
import type { Topic } from "./topics.ts";

export interface Pages<Item> {
  readonly items: readonly Item[] | undefined;
  readonly problem: Problem | undefined;
  /** Whether there are more. */
  readonly next: string | null;
  readonly busy: boolean;
  more(): Promise<void>;
  reload(): Promise<void>;
}

interface Held<Item> {
  readonly path: string;
  readonly items?: readonly Item[];
  readonly next: string | null;
  readonly problem?: Problem;
  readonly busy: boolean;
}

/** @param path With its query; `cursor` is added. */
export function usePages<Item>(path: string, ...topics: readonly Topic[]): Pages<Item> {
  const [held, setHeld] = useState<Held<Item>>({ path, next: null, busy: true });
  const asked = useRef(path);
  asked.current = path;
  const ask = useMemo(newest, []);
  const language = languageTag(); // the gateway words its answers: a switch asks again
  const load = useCallback(
    async (cursor: string | null, before: readonly Item[], signal?: AbortSignal) => {
      // As in resource.ts: what was asked for before takes no place.
      const isOver = (): boolean => signal?.aborted === true || asked.current !== path;
      if (isOver()) return;
      const isNewest = ask();
      try {
        const { body } = await api.get<{ readonly items: readonly Item[]; readonly next: string | null }>(path, {
          ...(cursor !== null && { query: { cursor } }),
          ...(signal !== undefined && { signal }),
        });
        if (!isOver() && isNewest()) setHeld({ path, items: [...before, ...body.items], next: body.next, busy: false });
      } catch (error) {
        if (isOver() || !isNewest()) return;
        const failed = { path, problem: toProblem(error), busy: false };
        setHeld((held) => (held.path === path ? { ...held, ...failed } : { next: null, ...failed }));
      }
    },
    [path, language],
  );
  const first = useCallback(async (signal?: AbortSignal) => load(null, [], signal), [load]);
  useLoads(first, held.problem !== undefined && held.items === undefined, topics);
  const mine = held.path === path;
  return {
    items: mine ? held.items : undefined,
    problem: mine ? held.problem : undefined,
    next: mine ? held.next : null,
    busy: held.busy,
    more: useCallback(async () => {
      setHeld((before) => ({ ...before, busy: true }));
      await load(held.next, held.items ?? []);
    }, [load, held]),
    reload: useCallback(async () => first(), [first]),
  };
}
