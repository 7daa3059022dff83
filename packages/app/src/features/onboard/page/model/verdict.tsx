/** What the test of a model found, in one sentence; its steps for who wants to know more. */
import type { VNode } from "preact";
import { useEffect, useState } from "preact/hooks";
import { duration } from "../../../../web/texts/format.ts";
import { Icon } from "../../../../web/ui/icon.tsx";
import { TestSteps } from "../../../../web/panel-kit/test-steps.tsx";
import { t } from "../texts.ts";
import type { Trial } from "./trial.ts";

/** What a machine without a network says when a name is looked up. */
const NO_NETWORK = /ENOTFOUND|EAI_AGAIN|ENETUNREACH/;

export function Verdict({ trial }: { readonly trial: Trial | undefined }): VNode {
  return (
    <div role="status">
      {trial !== undefined && (trial.result === undefined ? <Running since={trial.since} /> : <Found trial={trial} />)}
    </div>
  );
}

/** The clock is seen and not spoken: it would be said once a second. */
function Running({ since }: { readonly since: number }): VNode {
  const [now, setNow] = useState(performance.now());
  useEffect(() => {
    const timer = setInterval(() => setNow(performance.now()), 500);
    return () => clearInterval(timer);
  }, []);
  const left = Math.max(0, now - since);
  return (
    <p class="welcome-verdict" data-state="running">
      <Icon name="spinner" class="spin" />
      <span>
        {t("testing")} {left >= 1_000 && <span aria-hidden="true">{duration(left)}</span>}
      </span>
    </p>
  );
}

function Found({ trial }: { readonly trial: Trial }): VNode | null {
  const { result } = trial;
  if (result === undefined) return null;
  return (
    <div class="welcome-verdict" data-state={result.ok ? "ok" : "failed"}>
      <Icon name={result.ok ? "check" : "alert"} />
      <div class="grow stack">
        <p>{result.ok ? works(trial) : fails(trial)}</p>
        {!result.ok && result.steps.length > 0 && (
          <details>
            <summary>{t("details")}</summary>
            <TestSteps result={result} good="" bad="" />
          </details>
        )}
      </div>
    </div>
  );
}

function works({ wanted, result, facts }: Trial): string {
  const live = result?.steps.find(({ id, state }) => id === "live" && state === "ok");
  const values = { model: shortName(wanted.model), time: duration(live?.ms ?? 0) };
  if (facts === undefined) return t("works", values);
  const can =
    facts.vision && facts.tools ? "worksBoth" : facts.vision ? "worksSees" : facts.tools ? "worksTools" : "works";
  return t(can, values);
}

function fails({ wanted, result }: Trial): string {
  if (result === undefined) return "";
  const { code, detail = "", remedy } = result;
  const status = /\b40[13]\b/.exec(detail)?.[0];
  if (code === "provider.auth" && status !== undefined) return t("keyUnknown", { provider: wanted.title, status });
  const words = [detail, remedy]
    .flatMap((part) => (part === undefined || part === "" ? [] : [sentence(part)]))
    .join(" ");
  return NO_NETWORK.test(detail) ? `${words} ${t("noNetwork")}` : words;
}

/** What the system says ends without a full stop, and the advice follows it. */
function sentence(text: string): string {
  return /[.!?。！？]$/.test(text) ? text : `${text}.`;
}

/** `anthropic/claude-sonnet-4.5` of a shop is `claude-sonnet-4.5` to people. */
export function shortName(model: string): string {
  return model.slice(model.lastIndexOf("/") + 1);
}
