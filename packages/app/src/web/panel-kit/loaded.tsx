/** The states that every page has before it has something to show. */
import "./panels.css";
import type { ComponentChildren } from "preact";
import { c } from "../texts/panels-common.ts";
import { Skeleton } from "../ui/states.tsx";
import { useOffline } from "./offline.ts";
import { ProblemNote } from "./problem-note.tsx";
import type { Resource } from "./resource.ts";

interface Props<T> {
  readonly of: Resource<T>;
  readonly children: (data: T) => ComponentChildren;
}

/** Skeleton after 150 ms, failure with code and retry, or the page; what was loaded stays readable offline. */
export function Loaded<T>({ of, children }: Props<T>) {
  const offline = useOffline();
  const retry = (): void => void of.reload();
  if (of.data === undefined)
    return of.problem === undefined ? <Skeleton /> : <ProblemNote problem={of.problem} onRetry={retry} />;
  return (
    <>
      {offline && (
        <p class="note-box warn" role="status">
          {c("offline")}
        </p>
      )}
      {of.problem !== undefined && !offline && <ProblemNote problem={of.problem} onRetry={retry} />}
      {children(of.data)}
    </>
  );
}

/** Nothing there yet: one sentence, at most one action. */
export function Empty({
  children,
  action,
}: {
  readonly children: ComponentChildren;
  readonly action?: ComponentChildren;
}) {
  return (
    <div class="empty">
      <p>{children}</p>
      {action}
    </div>
  );
}
