/** Three first tasks; choosing one sends it in a new chat. */
import type { ActiveModel } from "../../providers/schema.ts";
import { t } from "./texts.ts";
import { navigate } from "../../../web/lib/route.ts";
import { randomId } from "../../../web/lib/ids.ts";
import { Button } from "../../../web/ui/button.tsx";
import { Act, Outcome, useAct } from "../../../web/panel-kit/act.tsx";
import { api } from "../../../web/panel-kit/api.ts";
import { Loaded } from "../../../web/panel-kit/loaded.tsx";
import { useResource } from "../../../web/panel-kit/resource.ts";
import { leaveWizard } from "../../../web/store/welcome.ts";
import { StepFoot, type StepProps } from "./step.tsx";

const EXAMPLES = ["example_1", "example_2", "example_3"] as const;
/** The small program of practice mode understands these, and no others. */
const PRACTICED = ["practice_1", "practice_2", "practice_3"] as const;

export function Examples({ leave, back }: StepProps) {
  const acting = useAct();
  const active = useResource<ActiveModel>("/models/active");
  const send = (text: string) => async (): Promise<void> => {
    const body = { message: { parts: [{ type: "text", text }] } };
    const answer = await api.post<{ readonly id: string }>("/sessions", body, { idempotencyKey: randomId("welcome") });
    leaveWizard();
    navigate({ page: "chat", session: answer.body.id, panel: undefined });
  };
  return (
    <>
      <p class="welcome-why">{t("examplesWhy")}</p>
      <Loaded of={active}>
        {({ practice }) => (
          <div class="welcome-examples">
            {(practice ? PRACTICED : EXAMPLES).map((key) => (
              <Act key={key} acting={acting} work={send(t(key))} icon="chat">
                {t(key)}
              </Act>
            ))}
          </div>
        )}
      </Loaded>
      <Outcome of={acting} />
      <StepFoot back={back}>
        <Button kind="quiet" onClick={leave}>
          {t("empty")}
        </Button>
      </StepFoot>
    </>
  );
}
