/** Another answer to the same message, by the same or another model; what the turn wrote is confirmed first. */
import type { VNode } from "preact";
import { useState } from "preact/hooks";
import { api, ApiProblem } from "../../api.ts";
import { t } from "../../texts/chat.ts";
import { t as shared } from "../../texts/index.ts";
import { navigate } from "../../lib/route.ts";
import { Button } from "../../ui/button.tsx";
import { Dialog } from "../../ui/dialog.tsx";
import { tell } from "../../ui/tell.ts";
import { Lazy } from "../../shell/lazy.tsx";

interface AgainProps {
  readonly session: string;
  readonly turn: string | undefined;
  /** That answered. */
  readonly model: string;
}

export interface Again {
  /** By the model of the chat. */
  start(): void;
  choose(): void;
  readonly dialog: VNode | null;
}

type Step =
  | { readonly ask: "model" }
  | { readonly ask: "writes"; readonly writes: readonly string[]; readonly model?: string };

export function useAnswerAgain({ session, turn, model }: AgainProps): Again {
  const [step, setStep] = useState<Step>();
  const again = async (by: string | undefined, confirmWrites: boolean): Promise<void> => {
    try {
      const body = { turn, ...(by !== undefined && { model: by }), ...(confirmWrites && { confirmWrites }) };
      const answer = await api.post<{ session: string }>(`/sessions/${session}/regenerate`, body);
      setStep(undefined);
      navigate({ page: "chat", session: answer.body.session });
    } catch (error) {
      if (!(error instanceof ApiProblem) || error.code !== "turn.has-writes") throw error;
      setStep({ ask: "writes", writes: namesOf(error), ...(by !== undefined && { model: by }) });
    }
  };
  const close = (): void => setStep(undefined);
  return {
    start: () => void tell(again(undefined, false)),
    choose: () => setStep({ ask: "model" }),
    dialog:
      step === undefined ? null : step.ask === "model" ? (
        <Lazy
          over
          load={async () => (await import("../../models/picker.tsx")).ModelPicker}
          props={{
            title: t("item.regenerate"),
            value: model,
            onClose: close,
            onChoose: (by: string) => void tell(again(by, false)),
          }}
        />
      ) : (
        <WritesDialog writes={step.writes} onClose={close} onConfirm={() => void tell(again(step.model, true))} />
      ),
  };
}

interface WritesProps {
  readonly writes: readonly string[];
  readonly onClose: () => void;
  readonly onConfirm: () => void;
}

function WritesDialog({ writes, onClose, onConfirm }: WritesProps): VNode {
  return (
    <Dialog
      title={t("item.regenerate")}
      onClose={onClose}
      footer={
        <>
          <Button onClick={onClose}>{shared("common.cancel")}</Button>
          <Button kind="primary" onClick={onConfirm}>
            {t("item.writes.go")}
          </Button>
        </>
      }
    >
      <div class="stack">
        <p>{t("item.writes")}</p>
        <ul class="plain-list">
          {writes.map((name, index) => (
            <li key={index}>
              <code>{name}</code>
            </li>
          ))}
        </ul>
      </div>
    </Dialog>
  );
}

/** The calls that changed something, as the problem lists them. */
function namesOf({ problem }: ApiProblem): readonly string[] {
  const given = problem["calls"] ?? problem["writes"] ?? problem.errors ?? [];
  if (!Array.isArray(given)) return [problem.detail];
  const names = given.map((one: unknown) => {
    if (typeof one === "string") return one;
    if (typeof one !== "object" || one === null) return "";
    const { name, preview, message } = one as { name?: string; preview?: string; message?: string };
    return [name, preview ?? message].filter(Boolean).join(" ");
  });
  return names.length === 0 ? [problem.detail] : names;
}
