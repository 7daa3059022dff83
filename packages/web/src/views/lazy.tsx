/** A view whose code is loaded when it is first needed. */
import type { ComponentType, VNode } from "preact";
import { useEffect, useState } from "preact/hooks";
import { ProblemBox } from "../ui/problem.tsx";
import { Skeleton } from "../ui/states.tsx";

export function Lazy({ load }: { load: () => Promise<ComponentType> }): VNode {
  const [state, setState] = useState<{ view?: ComponentType; error?: unknown }>({});
  const start = (): void => {
    load().then(
      (view) => setState({ view }),
      (error: unknown) => setState({ error }),
    );
  };
  useEffect(start, []);
  if (state.error !== undefined) return <ProblemBox error={state.error} onRetry={start} />;
  const View = state.view;
  return View ? <View /> : <Skeleton />;
}
