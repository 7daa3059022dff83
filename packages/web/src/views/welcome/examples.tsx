/** Three first tasks; choosing one sends it in a new chat. */
import { t } from "../../i18n/panels-welcome.ts";
import { navigate } from "../../lib/route.ts";
import { randomId } from "../../lib/ids.ts";
import { Button } from "../../ui/button.tsx";
import { Act, Outcome, useAct } from "../panels/kit/act.tsx";
import { api } from "../panels/kit/api.ts";
import { leaveWizard } from "./left.ts";

const EXAMPLES = ["example_1", "example_2", "example_3"] as const;

export function Examples({ leave }: { readonly leave: () => void }) {
  const acting = useAct();
  const send = (text: string) => async (): Promise<void> => {
    const body = { message: { parts: [{ type: "text", text }] } };
    const answer = await api.post<{ readonly id: string }>("/sessions", body, { idempotencyKey: randomId("welcome") });
    leaveWizard();
    navigate({ page: "chat", session: answer.body.id, panel: undefined });
  };
  return (
    <>
      <p>{t("examplesWhy")}</p>
      <div class="welcome-examples">
        {EXAMPLES.map((key) => (
          <Act key={key} acting={acting} work={send(t(key))} icon="chat">
            {t(key)}
          </Act>
        ))}
      </div>
      <Outcome of={acting} />
      <div>
        <Button kind="quiet" onClick={leave}>
          {t("empty")}
        </Button>
      </div>
    </>
  );
}
