/** The page: the way in, or the shell; what was logged out elsewhere gets an overlay that keeps the draft. */
import { signal } from "@preact/signals";
import type { VNode } from "preact";
import { useEffect } from "preact/hooks";
import { api } from "../api.ts";
import { login, loginKey } from "../auth.ts";
import { t as shared } from "../i18n/index.ts";
import { t } from "../i18n/work.ts";
import { navigate, route } from "../lib/route.ts";
import { Dialog } from "../ui/dialog.tsx";
import { ProofDialog } from "../ui/proof-dialog.tsx";
import { Toasts } from "../ui/toast.tsx";
import { Announcer } from "./announcer.tsx";
import { linkFaultOf, type LinkFault } from "./login/fault.ts";
import { exchangeCode, LoginForm, LoginPage } from "./login/login-page.tsx";
import { SetupPage } from "./login/setup-page.tsx";
import { Shell } from "./shell/shell.tsx";
import { Lazy } from "./lazy.tsx";

const linkProblem = signal<LinkFault | undefined>(undefined);
const setupCode = signal<string | undefined>(undefined);

export function App(): VNode {
  useEffect(() => void enter(), []);
  return (
    <>
      <Page />
      <ProofDialog />
      <Toasts />
      <Announcer />
    </>
  );
}

function Page(): VNode | null {
  const { page } = route.value;
  if (setupCode.value !== undefined || page === "setup")
    return (
      <SetupPage
        code={setupCode.value ?? ""}
        onIn={() => {
          setupCode.value = undefined;
          navigate({ page: "welcome" }, { replace: true });
        }}
        onClosed={() => {
          setupCode.value = undefined;
          linkProblem.value = { kind: "closed" };
          navigate({ page: "chat" }, { replace: true });
        }}
      />
    );
  switch (login.value) {
    case "unknown":
      return (
        <p class="visually-hidden" role="status">
          {t("login.checking")}
        </p>
      );
    case "out":
      return <LoginPage problem={linkProblem.value} onIn={() => navigate({ page: "chat" }, { replace: true })} />;
    case "in":
    case "signed-out":
      return (
        <>
          {page === "welcome" ? <Lazy load={async () => (await import("./welcome/index.tsx")).Welcome} /> : <Shell />}
          {login.value === "signed-out" && <SignedOut />}
        </>
      );
  }
}

/** Over whatever was open: nothing is lost, and nothing can be done until the login holds again. */
function SignedOut(): VNode {
  return (
    <Dialog title={t("out.title")} onClose={() => location.reload()}>
      <div class="stack">
        <p>{t("out.text")}</p>
        <LoginForm startWith="code" onIn={() => undefined} />
      </div>
    </Dialog>
  );
}

/** The fragment goes first: it must be in no history, whatever happens next. */
async function enter(): Promise<void> {
  const [, kind, code] = /^#(login|setup)=([\w-]+)$/.exec(location.hash) ?? [];
  if (code !== undefined) history.replaceState(null, "", location.pathname + location.search);
  if (kind === "setup") setupCode.value = code;
  try {
    if (kind === "login" && code !== undefined) return await exchangeCode(code);
    if (loginKey() === null) throw new Error(shared("app.name"));
    const { body } = await api.get<{ authenticated: boolean }>("/auth/state");
    login.value = body.authenticated ? "in" : "out";
  } catch (error) {
    if (kind === "login") linkProblem.value = linkFaultOf(error);
    // Without an answer the page opens with what it has: the bar says that the gateway is away.
    login.value = kind === "login" || loginKey() === null ? "out" : "in";
  }
}
