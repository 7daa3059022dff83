/** A list in pages with its states, and a button for the rest. */
import type { ComponentChildren } from "preact";
import { c } from "../texts/panels-common.ts";
import { Button } from "../ui/button.tsx";
import { Skeleton } from "../ui/states.tsx";
import type { Pages } from "./pages.ts";
import { ProblemNote } from "./problem-note.tsx";

interface Props<Item> {
  readonly of: Pages<Item>;
  readonly empty: ComponentChildren;
  readonly children: (items: readonly Item[]) => ComponentChildren;
}

export function More<Item>({ of, empty, children }: Props<Item>) {
  const problem =
    of.problem === undefined ? null : <ProblemNote problem={of.problem} onRetry={() => void of.reload()} />;
  if (of.items === undefined) return problem ?? <Skeleton />;
  if (of.items.length === 0) return <>{problem ?? empty}</>;
  return (
    <>
      {children(of.items)}
      {problem}
      {of.next !== null && (
        <div>
          <Button busy={of.busy} onClick={() => void of.more()}>
            {c("more")}
          </Button>
        </div>
      )}
    </>
  );
}
