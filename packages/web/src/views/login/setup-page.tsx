/** The first password of a remote installation: the code came with the link. */
import type { VNode } from "preact";
import { useState } from "preact/hooks";
import { api, ApiProblem } from "../../api.ts";
import { keepKey } from "../../auth.ts";
import { t } from "../../i18n/work.ts";
import { Button } from "../../ui/button.tsx";
import { PasswordField, TextField } from "../../ui/field.tsx";
import { Mark } from "../../ui/mark.tsx";
import "./login.css";

const LEAST = 12;

export function SetupPage({ code: given, onIn }: { code: string; onIn: () => void }): VNode {
  const [code, setCode] = useState(given);
  const [password, setPassword] = useState("");
  const [fault, setFault] = useState<string>();
  const [busy, setBusy] = useState(false);
  const submit = async (): Promise<void> => {
    setBusy(true);
    setFault(undefined);
    try {
      keepKey((await api.post<{ key: string }>("/auth/setup", { code: code.trim(), password })).body.key);
      onIn();
    } catch (error) {
      setFault(error instanceof ApiProblem ? error.message : String(error));
    }
    setBusy(false);
  };
  return (
    <main class="login">
      <form
        class="login-box"
        onSubmit={(event) => {
          event.preventDefault();
          void submit();
        }}
      >
        <Mark size={44} />
        <h1>{t("setup.title")}</h1>
        <p class="muted">{t("setup.text")}</p>
        <TextField label={t("setup.code")} value={code} onValue={setCode} required spellcheck={false} />
        <PasswordField
          label={t("setup.password")}
          autocomplete="new-password"
          value={password}
          onValue={setPassword}
          required
          fault={fault}
          hint={
            <span class="row">
              <meter min={0} max={LEAST} value={Math.min(password.length, LEAST)} aria-hidden="true" />
              {t("setup.length", { n: password.length })}
            </span>
          }
        />
        <Button type="submit" kind="primary" busy={busy}>
          {t("setup.go")}
        </Button>
      </form>
    </main>
  );
}
