/** A failure in words: what, why, what to do, and its code; with the faults of single fields. */
import { c } from "../texts/panels-common.ts";
import { Button } from "../ui/button.tsx";
import { Icon } from "../ui/icon.tsx";
import type { Problem } from "./api.ts";

interface Props {
  readonly problem: Problem;
  readonly onClose?: () => void;
  readonly onRetry?: (() => void) | undefined;
}

export function ProblemNote({ problem, onClose, onRetry }: Props) {
  const words = problem.detail || problem.title;
  const faults = (problem.errors ?? []).filter(({ message }) => !words.includes(message)); // once is enough
  return (
    <div class="note-box danger" role="alert">
      <Icon name="alert" />
      <div class="grow stack">
        <div>
          <div class="p-covers">{words}</div>
          {faults.length > 0 && (
            <ul class="p-bullets">
              {faults.map((fault) => (
                <li key={`${fault.path} ${fault.message}`}>
                  <code>{fault.path}</code> {fault.message}
                </li>
              ))}
            </ul>
          )}
          {problem.remedy !== undefined && <div class="muted">{problem.remedy}</div>}
          <code class="muted small">{problem.code}</code>
        </div>
        {onRetry !== undefined && (
          <div>
            <Button size="small" icon="refresh" onClick={onRetry}>
              {c("retry")}
            </Button>
          </div>
        )}
      </div>
      {onClose !== undefined && <Button kind="quiet" size="small" icon="close" label={c("close")} onClick={onClose} />}
    </div>
  );
}
