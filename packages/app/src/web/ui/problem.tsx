/** An error: what happened, its code, the next step, and Retry where that helps. */
import type { VNode } from "preact";
import { ApiProblem, type ProblemDocument } from "../api.ts";
import { t } from "../texts/index.ts";
import { Button } from "./button.tsx";
import { Icon } from "./icon.tsx";

export interface ProblemBoxProps {
  readonly error: unknown;
  readonly onRetry?: () => void;
}

export function ProblemBox({ error, onRetry }: ProblemBoxProps): VNode {
  const problem = problemFrom(error);
  return (
    <div class="note-box danger" role="alert">
      <Icon name="alert" />
      <div class="grow stack">
        <div>
          <div>{problem.detail || problem.title}</div>
          {problem.remedy !== undefined && <div class="muted">{problem.remedy}</div>}
          <code class="muted small">{problem.code}</code>
        </div>
        {onRetry && (
          <div>
            <Button size="small" icon="refresh" onClick={onRetry}>
              {t("common.retry")}
            </Button>
          </div>
        )}
      </div>
    </div>
  );
}

export function problemFrom(error: unknown): Pick<ProblemDocument, "code" | "title" | "detail" | "remedy"> {
  if (error instanceof ApiProblem) return error.problem;
  return { code: "browser", title: t("problem.title"), detail: error instanceof Error ? error.message : String(error) };
}
