/** The wizard of the first start: each step writes at once, a reload continues where it was. */
import { useEffect, useRef, useState } from "preact/hooks";
import { t } from "./texts.ts";
import { navigate } from "../../../web/lib/route.ts";
import { Button } from "../../../web/ui/button.tsx";
import { Icon } from "../../../web/ui/icon.tsx";
import { Mark } from "../../../web/ui/mark.tsx";
import { Examples } from "./examples.tsx";
import { keepStep, keptStep, leaveWizard } from "../../../web/store/welcome.ts";
import { LookStep } from "./look.tsx";
import { ModelStep } from "./model/index.tsx";
import { NamesStep } from "./names.tsx";
import { SafetyStep } from "./safety.tsx";
import type { StepProps } from "./step.tsx";
import "./welcome.css";

const STEPS = ["look", "model", "names", "safety", "examples"] as const;
type Step = (typeof STEPS)[number];

export function Welcome() {
  const [step, setStep] = useState<Step>(() => STEPS.find((one) => one === keptStep()) ?? "look");
  const heading = useRef<HTMLHeadingElement>(null);
  const at = STEPS.indexOf(step);
  const before = STEPS[at - 1];
  const go = (to: Step | undefined): void => {
    if (to === undefined) return;
    keepStep(to);
    setStep(to);
  };
  useEffect(() => heading.current?.focus(), [step]);
  const leave = (): void => {
    leaveWizard();
    navigate({ page: "chat", session: undefined, panel: undefined });
  };
  const props: StepProps = {
    done: () => go(STEPS[at + 1]),
    back: before === undefined ? undefined : () => go(before),
    leave,
  };
  return (
    <main class="welcome">
      <header class="welcome-head">
        <Mark size={28} />
        <span class="welcome-name">margay</span>
        <Steps at={at} go={go} />
      </header>
      <section class="welcome-card" data-step={step}>
        <h1 ref={heading} tabIndex={-1}>
          {t(`head_${step}`)}
        </h1>
        <p class="visually-hidden" role="status">
          {t("stepOf", { n: at + 1, max: STEPS.length })}
        </p>
        {step === "look" && <LookStep {...props} />}
        {step === "model" && <ModelStep {...props} />}
        {step === "names" && <NamesStep {...props} />}
        {step === "safety" && <SafetyStep {...props} />}
        {step === "examples" && <Examples {...props} />}
      </section>
      {step !== "examples" && (
        <div class="welcome-later">
          <Button kind="quiet" size="small" onClick={leave}>
            {t("later")}
          </Button>
        </div>
      )}
    </main>
  );
}

interface StepsProps {
  readonly at: number;
  readonly go: (to: Step) => void;
}

/** Those that are done can be gone back to. */
function Steps({ at, go }: StepsProps) {
  return (
    <ol class="welcome-steps" aria-label={t("steps")}>
      {STEPS.map((one, index) => (
        <li
          key={one}
          data-state={index < at ? "done" : index === at ? "now" : "to-come"}
          aria-current={index === at ? "step" : undefined}
        >
          {index < at ? (
            <button type="button" onClick={() => go(one)}>
              <span class="welcome-number">
                <Icon name="check" size={14} />
              </span>
              <span class="welcome-step">{t(`step_${one}`)}</span>
            </button>
          ) : (
            <>
              <span class="welcome-number" aria-hidden="true">
                {index + 1}
              </span>
              <span class="welcome-step">{t(`step_${one}`)}</span>
            </>
          )}
        </li>
      ))}
    </ol>
  );
}
