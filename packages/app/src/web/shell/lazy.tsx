/** A view whose code is loaded when it is first needed. */
import type { ComponentType, VNode } from "preact";
import { useEffect, useState } from "preact/hooks";
import { ProblemBox } from "../ui/problem.tsx";
import { Skeleton } from "../ui/states.tsx";

interface LazyProps<Props> {
  readonly load: () => Promise<ComponentType<Props>>;
  readonly props: Props;
  /** It opens over what is there: nothing stands in its place meanwhile. */
  readonly over?: true;
}

export function Lazy<Props extends object>({ load, props, over }: LazyProps<Props>): VNode | null {
  const [state, setState] = useState<{ view?: ComponentType<Props>; error?: unknown }>({});
  const start = (): void => {
    load().then(
      (view) => setState({ view }),
      (error: unknown) => setState({ error }),
    );
  };
  useEffect(start, []);
  if (state.error !== undefined) return <ProblemBox error={state.error} onRetry={start} />;
  const View = state.view;
  if (View) return <View {...props} />;
  return over === true ? null : <Skeleton />;
}
