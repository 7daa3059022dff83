/** A list that comes in pages: the first at once, more when asked. */
import { useCallback, useEffect, useState } from "preact/hooks";
import { languageTag } from "../../../i18n/index.ts";
import { api, toProblem, type Problem } from "./api.ts";
import { onTopic, type Topic } from "./topics.ts";

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
  const language = languageTag(); // the gateway words its answers: a switch asks again
  const load = useCallback(
    async (cursor: string | null, before: readonly Item[], signal?: AbortSignal) => {
      try {
        const { body } = await api.get<{ readonly items: readonly Item[]; readonly next: string | null }>(path, {
          ...(cursor !== null && { query: { cursor } }),
          ...(signal !== undefined && { signal }),
        });
        if (signal?.aborted !== true)
          setHeld({ path, items: [...before, ...body.items], next: body.next, busy: false });
      } catch (error) {
        if (signal?.aborted === true) return;
        setHeld((held) => ({ ...held, path, problem: toProblem(error), busy: false }));
      }
    },
    [path, language],
  );
  useEffect(() => {
    const controller = new AbortController();
    void load(null, [], controller.signal);
    return () => controller.abort();
  }, [load]);
  useEffect(() => {
    const stops = topics.map((topic) => onTopic(topic, () => void load(null, [])));
    return () => {
      for (const stop of stops) stop();
    };
  }, [load, topics.join()]);
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
    reload: useCallback(async () => load(null, []), [load]),
  };
}
