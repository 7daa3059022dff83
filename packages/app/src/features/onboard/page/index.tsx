/** The wizard of the first start: each step writes at once, a reload continues where it was. */
import { useEffect, useRef, useState } from "preact/hooks";
import { t } from "./texts.ts";
import { navigate } from "../../../web/lib/route.ts";
import { Button } from "../../../web/ui/button.tsx";
import { Examples } from "./examples.tsx";
import { keepStep, keptStep, leaveWizard } from "../../../web/store/welcome.ts";
import { LookStep } from "./look.tsx";
import { ModelStep } from "./model.tsx";
import { NamesStep } from "./names.tsx";
import { SafetyStep } from "./safety.tsx";
import type { StepProps } from "./step.ts";
import "./welcome.css";

const STEPS = ["look", "model", "names", "safety", "examples"] as const;
type Step = (typeof STEPS)[number];

export function Welcome() {
  const [step, setStep] = useState<Step>(() => STEPS.find((one) => one === keptStep()) ?? "look");
  const heading = useRef<HTMLHeadingElement>(null);
  const at = STEPS.indexOf(step);
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
  const props: StepProps = { done: () => go(STEPS[at + 1]) };
  return (
    <main class="welcome">
      <header>
        <p class="welcome-name">{t("title")}</p>
        <ol class="welcome-steps" aria-label={t("steps")}>
          {STEPS.map((one, index) => (
            <li
              key={one}
              data-state={index < at ? "done" : index === at ? "now" : "to-come"}
              aria-current={index === at ? "step" : undefined}
            >
              {index < at ? (
                <button type="button" onClick={() => go(one)}>
                  {t(`step_${one}`)}
                </button>
              ) : (
                <span>{t(`step_${one}`)}</span>
              )}
            </li>
          ))}
        </ol>
      </header>
      <section class="welcome-card">
        <h1 ref={heading} tabIndex={-1}>
          {t(`step_${step}`)}
        </h1>
        <p class="visually-hidden" role="status">
          {t("stepOf", { n: at + 1, max: STEPS.length })}
        </p>
        {step === "look" && <LookStep {...props} />}
        {step === "model" && <ModelStep {...props} />}
        {step === "names" && <NamesStep {...props} />}
        {step === "safety" && <SafetyStep {...props} />}
        {step === "examples" && <Examples leave={leave} />}
      </section>
      <footer class="p-row">
        {at > 0 && (
          <Button kind="quiet" icon="chevronLeft" onClick={() => go(STEPS[at - 1])}>
            {t("back")}
          </Button>
        )}
        <span class="grow" />
        <Button kind="quiet" onClick={leave}>
          {t("later")}
        </Button>
      </footer>
    </main>
  );
}
