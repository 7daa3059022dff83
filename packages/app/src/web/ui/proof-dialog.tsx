/** Asks for the password or a code of the terminal, wherever a call needs a fresh proof. */
import type { VNode } from "preact";
import { useState } from "preact/hooks";
import { api, ApiProblem } from "../api.ts";
import { t } from "../texts/index.ts";
import { Button } from "./button.tsx";
import { Dialog } from "./dialog.tsx";
import { PasswordField, TextField } from "./field.tsx";

export function ProofDialog({ answer }: { answer: (given: boolean) => void }): VNode {
  const [way, setWay] = useState<"code" | "password">("code");
  const [value, setValue] = useState("");
  const [fault, setFault] = useState<string>();
  const [busy, setBusy] = useState(false);
  const submit = async (): Promise<void> => {
    setBusy(true);
    try {
      await api.post("/auth/confirm", way === "code" ? { code: value.trim() } : { password: value });
      answer(true);
    } catch (error) {
      setFault(error instanceof ApiProblem ? error.message : String(error));
      setBusy(false);
    }
  };
  const field = { value, onValue: setValue, fault, autofocus: true, required: true };
  return (
    <Dialog title={t("proof.title")} onClose={() => answer(false)}>
      <form
        class="stack"
        onSubmit={(event) => {
          event.preventDefault();
          void submit();
        }}
      >
        <p class="muted">{t("proof.why")}</p>
        {way === "code" ? (
          <TextField {...field} label={t("proof.code")} hint={t("proof.code.hint")} autocomplete="one-time-code" />
        ) : (
          <PasswordField {...field} label={t("proof.password")} autocomplete="current-password" />
        )}
        <div class="row">
          <Button
            kind="quiet"
            onClick={() => {
              setWay(way === "code" ? "password" : "code");
              setValue("");
              setFault(undefined);
            }}
          >
            {t(way === "code" ? "proof.use-password" : "proof.use-code")}
          </Button>
          <span class="grow" />
          <Button onClick={() => answer(false)}>{t("common.cancel")}</Button>
          <Button type="submit" kind="primary" busy={busy} disabled={value === ""}>
            {t("proof.confirm")}
          </Button>
        </div>
      </form>
    </Dialog>
  );
}
