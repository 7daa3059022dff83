/** One turn, step by step: what happened, why, how long, what it added to the prompt, and whether it replays. */
import type { VNode } from "preact";
import { useEffect, useState } from "preact/hooks";
import { api } from "../../../web/api.ts";
import { clockTime, duration, fullTime, tokens } from "../../../web/texts/format.ts";
import { t } from "./texts.ts";
import { route } from "../../../web/lib/route.ts";
import { Button } from "../../../web/ui/button.tsx";
import { Icon, type IconName } from "../../../web/ui/icon.tsx";
import { ProblemBox } from "../../../web/ui/problem.tsx";
import { Empty, Skeleton } from "../../../web/ui/states.tsx";
import { answeredIn, CompareDialog } from "./compare-dialog.tsx";
import { PromptDialog } from "./prompt-dialog.tsx";
import type { Explanation, Request, Step, TurnBranch } from "./types.ts";
import "./explain.css";

const ICONS: Readonly<Record<Step["step"], IconName>> = {
  start: "play",
  deliver: "bell",
  compact: "layers",
  judge: "shield",
  invoke: "tool",
  recover: "refresh",
  settle: "check",
  request: "spark",
  sleep: "clock",
  wait: "bell",
  end: "check",
  rest: "users",
};

/** Shorter ones would all read "0 s". */
const SHOWN_FROM_MS = 50;

export function ExplainPage(): VNode {
  const [, session = "", turn = ""] = (route.value.panel ?? "").split("/");
  const [state, setState] = useState<{ turn: string; body?: Explanation; error?: unknown }>();
  const [branches, setBranches] = useState<{ of: string; items: readonly TurnBranch[] }>();
  const [prompt, setPrompt] = useState<number>();
  const [compared, setCompared] = useState<Request>();
  const of = `/sessions/${session}/turns/${turn}`;
  const path = `${of}/explain`;
  const load = (): void => {
    api.get<Explanation>(path).then(
      ({ body }) => setState({ turn, body }),
      (error: unknown) => setState({ turn, error }),
    );
    api.get<{ items: readonly TurnBranch[] }>(`${of}/branches`).then(
      ({ body }) => setBranches({ of, items: body.items }),
      () => undefined, // without them there is nothing to compare with
    );
  };
  useEffect(load, [of]);
  if (state?.turn !== turn) return <Skeleton lines={8} />;
  if (state.body === undefined) return <ProblemBox error={state.error} onRetry={load} />;
  const { steps, ok } = state.body;
  const comparable = branches?.of === of ? branches.items : [];
  if (steps.length === 0)
    return (
      <Empty icon="info">
        <p>{t("none")}</p>
      </Empty>
    );
  return (
    <div class="stack">
      <p class={ok ? "row ok-ink" : "row danger-ink"}>
        <Icon name={ok ? "check" : "alert"} size={16} />
        {t(ok ? "replays" : "differs")}
      </p>
      <ol class="explain-steps">
        {steps.map((step) => (
          <StepView
            key={step.seq}
            step={step}
            onPrompt={() => setPrompt(step.seq)}
            onCompare={comparable.length === 0 ? undefined : () => setCompared(step.request)}
          />
        ))}
      </ol>
      {prompt !== undefined && <PromptDialog path={path} seq={prompt} onClose={() => setPrompt(undefined)} />}
      {compared !== undefined && (
        <CompareDialog
          request={compared}
          place={answeredIn(state.body).indexOf(compared)}
          branches={comparable}
          onClose={() => setCompared(undefined)}
        />
      )}
    </div>
  );
}

interface StepProps {
  readonly step: Step;
  readonly onPrompt: () => void;
  readonly onCompare: (() => void) | undefined;
}

/** What is allowed at once begins in the commit of its verdict. */
function kindOf({ step, records }: Step): Step["step"] | "ran" {
  return step === "judge" && records.includes("tool.started") ? "ran" : step;
}

function StepView({ step, onPrompt, onCompare }: StepProps): VNode {
  const { request, policy, origin } = step;
  const title = origin === "outcome" ? t("outcome") : t(`step.${origin === "outside" ? "rest" : kindOf(step)}`);
  return (
    <li>
      <span class="explain-mark">
        <Icon name={origin === "outcome" ? "check" : ICONS[origin === "outside" ? "rest" : step.step]} size={15} />
      </span>
      <div class="explain-step">
        <div class="row">
          <h3 class="grow">{title}</h3>
          <time class="muted small" dateTime={new Date(step.at).toISOString()} title={fullTime(step.at)}>
            {clockTime(step.at)}
          </time>
          {step.ms >= SHOWN_FROM_MS && <span class="muted small">{duration(step.ms)}</span>}
        </div>
        <p>{step.why}</p>
        {request && (
          <div class="small">
            <div class="muted">
              {request.model.provider}/{request.model.model}
            </div>
            {request.placed.length > 0 && <div class="muted">{t("placed", { n: request.placed.length })}</div>}
            {request.newTokens !== undefined && (
              <div>
                {t("tokens", {
                  n: tokens(request.newTokens),
                  cached: tokens(request.cachedTokens ?? 0),
                  output: tokens(request.outputTokens ?? 0),
                })}
              </div>
            )}
            {request.cacheMiss !== undefined && <div class="warn-ink">{t("miss", { cause: request.cacheMiss })}</div>}
            <div class="row explain-more">
              <Button size="small" onClick={onPrompt}>
                {t("prompt")}
              </Button>
              {request.answer !== undefined && onCompare !== undefined && (
                <Button size="small" icon="branch" onClick={onCompare}>
                  {t("compare")}
                </Button>
              )}
            </div>
          </div>
        )}
        {policy.map((one) => (
          <p key={one.call} class="small">
            {t("rule", { verdict: verdictOf(one.verdict), rule: one.rule })}
            {one.reason !== undefined && <span class="muted"> · {one.reason}</span>}
          </p>
        ))}
        <div class="explain-records">
          {step.records.map((record, index) => (
            <code key={index}>{record}</code>
          ))}
          {!step.replayOk && <span class="badge danger">{t("no-replay")}</span>}
        </div>
      </div>
    </li>
  );
}

function verdictOf(verdict: string): string {
  return verdict === "allow" || verdict === "deny" || verdict === "ask" ? t(`verdict.${verdict}`) : verdict;
}
