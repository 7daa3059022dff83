/** The ways in: the password, a code of the terminal, and what went wrong with a link. */
import type { VNode } from "preact";
import { useState } from "preact/hooks";
import { api, ApiProblem } from "../api.ts";
import { type Granted, hasPassword, keepKey } from "../auth.ts";
import { duration } from "../texts/format.ts";
import { t } from "../texts/work.ts";
import { serverNow, useNow } from "../lib/now.ts";
import { Button } from "../ui/button.tsx";
import { PasswordField, TextField } from "../ui/field.tsx";
import { Mark } from "../ui/mark.tsx";
import { CopyButton } from "../ui/copy-button.tsx";
import { faultOf, type LinkFault } from "./fault.ts";
import "./login.css";

/** Exchanges the code of a link. @throws ApiProblem `auth.code-used`, `auth.code-expired`, … */
export async function exchangeCode(code: string): Promise<void> {
  const { body } = await api.post<Granted>("/auth/exchange", { code });
  keepKey(body);
}

export interface LoginPageProps {
  /** Why the link that was opened did not work. */
  readonly problem?: LinkFault | undefined;
  readonly onIn: () => void;
}

export function LoginPage({ problem, onIn }: LoginPageProps): VNode {
  return (
    <main class="login">
      <div class="login-box">
        <Mark size={44} />
        {problem === undefined ? <h1>{t("login.title")}</h1> : <LinkProblem problem={problem} />}
        {problem === undefined && !hasPassword.value && <NoPassword />}
        <LoginForm
          key={problem?.kind}
          onIn={onIn}
          startWith={problem === undefined || problem.kind === "closed" ? "password" : "code"}
        />
      </div>
    </main>
  );
}

export function LoginForm({ onIn, startWith }: { onIn: () => void; startWith: "password" | "code" }): VNode {
  const [chosen, setWay] = useState(startWith);
  const way = hasPassword.value ? chosen : "code"; // a password that was never set opens nothing
  const [value, setValue] = useState("");
  const [fault, setFault] = useState<string>();
  const [lockedUntil, setLockedUntil] = useState(0);
  const left = lockedUntil - useNow(lockedUntil > 0);
  const shown = left > 0 ? t("login.locked") : fault;
  const [busy, setBusy] = useState(false);
  const submit = async (): Promise<void> => {
    setBusy(true);
    setFault(undefined);
    setLockedUntil(0);
    try {
      if (way === "code") await exchangeCode(value.trim());
      else keepKey((await api.post<Granted>("/auth/login", { password: value })).body);
      onIn();
    } catch (error) {
      const wait = error instanceof ApiProblem && error.code === "auth.locked" ? error.problem.retryAfterMs : undefined;
      if (wait === undefined) setFault(faultOf(error));
      else setLockedUntil(serverNow() + wait);
    }
    setBusy(false);
  };
  return (
    <form
      class="stack"
      onSubmit={(event) => {
        event.preventDefault();
        void submit();
      }}
    >
      {way === "password" ? (
        <PasswordField
          key="password"
          label={t("login.password")}
          name="password"
          autocomplete="current-password"
          required
          value={value}
          onValue={setValue}
          fault={shown}
        />
      ) : (
        <TextField
          key="code"
          label={t("login.code")}
          {...(hasPassword.value && { hint: t("login.code.hint") })}
          autocomplete="one-time-code"
          spellcheck={false}
          required
          value={value}
          onValue={setValue}
          fault={shown}
        />
      )}
      {left > 0 && (
        <p class="muted" role="timer">
          {t("login.locked.left", { time: duration(left) })}
        </p>
      )}
      <Button type="submit" kind="primary" busy={busy}>
        {t("login.go")}
      </Button>
      {hasPassword.value && (
        <Button
          kind="quiet"
          onClick={() => {
            setWay(way === "password" ? "code" : "password");
            setValue("");
            setFault(undefined);
            setLockedUntil(0);
          }}
        >
          {t(way === "password" ? "login.have-code" : "login.use-password")}
        </Button>
      )}
    </form>
  );
}

/** Why a link that was opened leads nowhere, and how to get another. */
export function LinkProblem({ problem }: { problem: LinkFault }): VNode {
  return (
    <div class="stack">
      <h1>{t(`login.${problem.kind}.title`)}</h1>
      <p>{problem.kind === "failed" ? problem.text : t(`login.${problem.kind}`)}</p>
      <OpenCommand />
    </div>
  );
}

function NoPassword(): VNode {
  return (
    <div class="stack">
      <p>{t("login.no-password")}</p>
      <OpenCommand />
    </div>
  );
}

function OpenCommand(): VNode {
  return (
    <div class="command-line">
      <code class="grow">margay open</code>
      <CopyButton text={() => "margay open"} />
    </div>
  );
}
