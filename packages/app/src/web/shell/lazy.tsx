/** A view whose code is loaded when it is first needed. */
import type { ComponentType, VNode } from "preact";
import { useEffect, useState } from "preact/hooks";
import { effect } from "@preact/signals";
import { line } from "../connection.ts";
import { ProblemBox } from "../ui/problem.tsx";
import { Skeleton } from "../ui/states.tsx";

/** By what loads them: rows that come back while somebody scrolls are whole at once. */
const loaded = new WeakMap<object, unknown>();

/** Styles that could not be fetched: they stand in the page, dead, where what loads code takes them for fetched. */
const dead = new Set<HTMLLinkElement>();
document.addEventListener(
  "error",
  ({ target }) => {
    if (target instanceof HTMLLinkElement) dead.add(target);
  },
  true, // it does not bubble
);

function fetchStylesAgain(): void {
  for (const link of dead) link.replaceWith(link.cloneNode());
  dead.clear();
}

effect(() => {
  if (line.value.state === "open") fetchStylesAgain();
});

/** @returns what ends it. */
function onReturn(then: () => void): () => void {
  let isAway = line.peek().state !== "open";
  return effect(() => {
    if (line.value.state !== "open") isAway = true;
    else if (isAway) then();
  });
}

interface LazyProps<Props> {
  readonly load: () => Promise<ComponentType<Props>>;
  readonly props: Props;
  /** It opens over what is there: nothing stands in its place meanwhile. */
  readonly over?: true;
  /** Comes right after what is around it was seen: where there are many of it, and their place is kept. */
  readonly after?: true;
}

export function Lazy<Props extends object>({ load, props, over, after }: LazyProps<Props>): VNode | null {
  const [state, setState] = useState<{ view?: ComponentType<Props>; error?: unknown }>(() => {
    const view = loaded.get(load) as ComponentType<Props> | undefined; // put there by the same function
    return view === undefined ? {} : { view };
  });
  const start = (): void => {
    fetchStylesAgain();
    load().then(
      (view) => {
        loaded.set(load, view);
        setState({ view });
      },
      (error: unknown) => setState({ error }),
    );
  };
  const [isSeen, setSeen] = useState(after !== true);
  useEffect(() => {
    setSeen(true);
    if (state.view === undefined) start();
  }, []);
  // Its code is at the gateway, which was away: it is asked again when it is back, by itself.
  useEffect(() => (state.error === undefined ? undefined : onReturn(start)), [state.error]);
  if (state.error !== undefined && line.value.state !== "lost")
    return <ProblemBox error={state.error} onRetry={start} />;
  const View = state.view;
  if (View && isSeen) return <View {...props} />;
  return over === true || after === true ? null : <Skeleton />;
}
