/** What a test found, step by step, with the next thing to do where one failed. */
import type { TestResult } from "../../protocol/test-result.ts";
import { c } from "../texts/panels-common.ts";
import { Icon } from "../ui/icon.tsx";

const WORDS = { ok: "stepOk", failed: "stepFailed", skipped: "stepSkipped" } as const;
const ICONS = { ok: "check", failed: "alert", skipped: "pause" } as const;

interface Props {
  readonly result: TestResult;
  readonly good: string;
  readonly bad: string;
}

export function TestSteps({ result, good, bad }: Props) {
  return (
    <div class={result.ok ? "p-test p-good" : "p-test p-bad"} role="status">
      <strong>{result.ok ? good : bad}</strong>
      <ol>
        {result.steps.map((step) => (
          <li key={step.id} data-state={step.state}>
            <Icon name={ICONS[step.state]} size={16} />
            <div class="grow">
              <span>
                {step.title} <span class="p-faint">{c(WORDS[step.state])}</span>
              </span>
              {step.detail !== undefined && <div class="small">{step.detail}</div>}
              {step.remedy !== undefined && <div class="small p-remedy">{step.remedy}</div>}
            </div>
            {step.state !== "skipped" && <span class="p-faint">{c("ms", { n: Math.round(step.ms) })}</span>}
          </li>
        ))}
      </ol>
      {!result.ok && result.remedy !== undefined && !result.steps.some((step) => step.remedy === result.remedy) && (
        <p>{result.remedy}</p>
      )}
    </div>
  );
}
