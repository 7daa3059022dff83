/** Something the server knows, loaded for a page: loading, there, or failed. */
import { useCallback, useMemo, useRef, useState } from "preact/hooks";
import { languageTag } from "../texts/index.ts";
import { newest } from "../lib/newest.ts";
import { api, toProblem, type Problem } from "./api.ts";
import { useLoads } from "./loads.ts";
import type { Topic } from "./topics.ts";

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
  const asked = useRef(path);
  asked.current = path;
  const ask = useMemo(newest, []);
  const language = languageTag(); // the gateway words its answers: a switch asks again
  const load = useCallback(
    async (signal?: AbortSignal) => {
      // What was asked for before takes no place: it may come last, or be asked for again by who still waited for a write.
      const isOver = (): boolean => signal?.aborted === true || asked.current !== path;
      if (path === undefined || isOver()) return;
      const isNewest = ask();
      setHeld((before) => (before.path === path ? { ...before, loading: true } : { path, loading: true }));
      try {
        const found = await api.get<T>(path, signal === undefined ? {} : { signal });
        if (!isOver() && isNewest()) setHeld({ path, data: found.body, hash: found.etag ?? undefined, loading: false });
      } catch (error) {
        if (isOver() || !isNewest()) return;
        const problem = toProblem(error);
        setHeld((before) => ({ ...before, path, problem, loading: false }));
      }
    },
    [path, language],
  );
  useLoads(load, held.problem !== undefined, topics);
  const mine = held.path === path;
  return {
    data: mine ? held.data : undefined,
    hash: mine ? held.hash : undefined,
    problem: mine ? held.problem : undefined,
    loading: mine ? held.loading : path !== undefined,
    reload: useCallback(async () => load(), [load]),
    put: useCallback((data: T, hash?: string) => {
      ask()(); // newer than what is on its way
      setHeld((h) => ({ path: h.path, data, hash, loading: false }));
    }, []),
  };
}
