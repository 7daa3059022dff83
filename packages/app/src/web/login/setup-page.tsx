/** The first password of a remote installation: the code came with the link. */
import type { VNode } from "preact";
import { useEffect, useState } from "preact/hooks";
import { api, ApiProblem } from "../api.ts";
import { type Granted, keepKey } from "../auth.ts";
import { t } from "../texts/work.ts";
import { Button } from "../ui/button.tsx";
import { PasswordField, TextField } from "../ui/field.tsx";
import { Mark } from "../ui/mark.tsx";
import { faultOf } from "./fault.ts";
import "./login.css";

/** Bytes, as the gateway counts. */
const LEAST = 12;

export interface SetupPageProps {
  readonly code: string;
  readonly onIn: () => void;
  /** A password was set before: nobody sets the first one again. */
  readonly onClosed: () => void;
}

export function SetupPage({ code: given, onIn, onClosed }: SetupPageProps): VNode {
  const [code, setCode] = useState(given);
  const [password, setPassword] = useState("");
  const [fault, setFault] = useState<{ readonly of: "code" | "password"; readonly text: string }>();
  const [busy, setBusy] = useState(false);
  useEffect(() => {
    api.get<{ setup: boolean }>("/auth/state").then(
      ({ body }) => {
        if (!body.setup) onClosed();
      },
      () => undefined, // said when the form is sent
    );
  }, []);
  const submit = async (): Promise<void> => {
    setBusy(true);
    setFault(undefined);
    try {
      keepKey((await api.post<Granted>("/auth/setup", { code: code.trim(), password })).body);
      onIn();
    } catch (error) {
      const name = error instanceof ApiProblem ? error.code : "";
      if (name === "auth.setup-closed" || name === "auth.code-used") onClosed();
      setFault({
        of: name === "auth.invalid" || name === "auth.code-expired" ? "code" : "password",
        text: faultOf(error),
      });
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
        <TextField
          label={t("setup.code")}
          value={code}
          onValue={setCode}
          required
          spellcheck={false}
          autocomplete="one-time-code"
          fault={fault?.of === "code" ? fault.text : undefined}
        />
        <PasswordField
          label={t("setup.password")}
          name="password"
          autocomplete="new-password"
          value={password}
          onValue={setPassword}
          required
          fault={fault?.of === "password" ? fault.text : undefined}
          hint={<Length of={password} />}
        />
        <Button type="submit" kind="primary" busy={busy}>
          {t("setup.go")}
        </Button>
      </form>
    </main>
  );
}

function Length({ of: password }: { readonly of: string }): VNode {
  const length = new TextEncoder().encode(password.normalize("NFKC")).length;
  return (
    <span class="row">
      <meter
        min={0}
        max={LEAST}
        low={LEAST}
        high={LEAST}
        optimum={LEAST}
        value={Math.min(length, LEAST)}
        aria-hidden="true"
      />
      {length < LEAST ? t("setup.length", { n: length }) : t("setup.long-enough")}
    </span>
  );
}
