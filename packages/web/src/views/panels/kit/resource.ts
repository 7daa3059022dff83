/** Something the server knows, loaded for a page: loading, there, or failed. */
import { useCallback, useEffect, useState } from "preact/hooks";
import { languageTag } from "../../../i18n/index.ts";
import { api, toProblem, type Problem } from "./api.ts";
import { online } from "./offline.ts";
import { onTopic, type Topic } from "./topics.ts";

export interface Resource<T> {
  /** Kept while it is loaded again, and when that fails. */
  readonly data: T | undefined;
  readonly hash: string | undefined;
  readonly problem: Problem | undefined;
  readonly loading: boolean;
  reload(): Promise<void>;
  /** Shows it at once, without asking again. */
  put(data: T, hash?: string): void;
}

interface Held<T> {
  readonly path: string | undefined;
  readonly data?: T;
  readonly hash?: string | undefined;
  readonly problem?: Problem;
  readonly loading: boolean;
}

/**
 * @param path Below `/api/v1`; undefined: nothing is asked.
 * @param topics It is loaded again when something was said about one of them.
 */
export function useResource<T>(path: string | undefined, ...topics: readonly Topic[]): Resource<T> {
  const [held, setHeld] = useState<Held<T>>({ path, loading: path !== undefined });
  const language = languageTag(); // the gateway words its answers: a switch asks again
  const load = useCallback(
    async (signal?: AbortSignal) => {
      if (path === undefined) return;
      setHeld((before) => (before.path === path ? { ...before, loading: true } : { path, loading: true }));
      try {
        const found = await api.get<T>(path, signal === undefined ? {} : { signal });
        if (signal?.aborted !== true)
          setHeld({ path, data: found.body, hash: found.etag ?? undefined, loading: false });
      } catch (error) {
        if (signal?.aborted === true) return;
        const problem = toProblem(error);
        setHeld((before) => ({ ...before, path, problem, loading: false }));
      }
    },
    [path, language],
  );
  useEffect(() => {
    const controller = new AbortController();
    void load(controller.signal);
    return () => controller.abort();
  }, [load]);
  useEffect(() => {
    const stops = topics.map((topic) => onTopic(topic, () => void load()));
    return () => {
      for (const stop of stops) stop();
    };
  }, [load, topics.join()]);
  // What failed while the gateway was away is asked again as soon as it is back.
  useEffect(() => {
    let was = online.peek(); // a signal tells its value at once: only a change is a reason to ask
    return online.subscribe((up) => {
      if (up && !was && held.problem !== undefined) void load();
      was = up;
    });
  }, [load, held.problem]);
  const mine = held.path === path;
  return {
    data: mine ? held.data : undefined,
    hash: mine ? held.hash : undefined,
    problem: mine ? held.problem : undefined,
    loading: mine ? held.loading : path !== undefined,
    reload: useCallback(async () => load(), [load]),
    put: useCallback((data: T, hash?: string) => setHeld((h) => ({ path: h.path, data, hash, loading: false })), []),
  };
}
