/** Where something of a call or a turn was kept aside, which is rare: what says so is loaded then. */
import { type Item } from "@margay/core/state";
import { callsOf, type CallView } from "@margay/core/internal/state";
import type { VNode } from "preact";
import { Lazy } from "../../shell/lazy.tsx";

export function KeptAside({ call }: { call: CallView }): VNode | null {
  if (!isSome(call)) return null;
  return <Lazy over load={async () => (await import("./kept-list.tsx")).KeptList} props={{ call }} />;
}

/** Said once, at the end of the turn. */
export function KeptAsideNote(props: { items: readonly Item[]; turn: string | undefined }): VNode | null {
  const { items, turn } = props;
  const some = items.some((item) => item.kind === "assistant" && item.turn === turn && callsOf(item).some(isSome));
  return some ? <Lazy over load={async () => (await import("./kept-list.tsx")).KeptNote} props={props} /> : null;
}

function isSome({ details }: CallView): boolean {
  return typeof details === "object" && details !== null && "keptAside" in details;
}
