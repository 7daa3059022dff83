/** Code with what was found in it marked; what is invisible is drawn as everywhere. */
import type { ComponentChildren, VNode } from "preact";
import { visible } from "./visible-text.tsx";

export interface Found {
  /** Start and end of each, in order and apart. */
  readonly ranges: readonly (readonly [number, number])[];
  /** The one that is looked at, by its place in `ranges`. */
  readonly current?: number | undefined;
}

export function FoundText({ text, ranges, current }: Found & { readonly text: string }): VNode {
  const parts: ComponentChildren[] = [];
  let from = 0;
  ranges.forEach(([start, end], index) => {
    parts.push(
      visible(text.slice(from, start)),
      <mark key={start} class="found" aria-current={index === current ? "true" : undefined}>
        {visible(text.slice(start, end))}
      </mark>,
    );
    from = end;
  });
  return (
    <>
      {parts}
      {visible(text.slice(from))}
    </>
  );
}
