/** The page: the way in, or the shell; what was logged out elsewhere gets an overlay that keeps the draft. */
import { loadWelcome } from "../pages.tsx";
import { signal } from "@preact/signals";
import type { VNode } from "preact";
import { useEffect } from "preact/hooks";
import { api } from "../api.ts";
import { hasPassword, login, loginKey, person, type PersonLogin } from "../auth.ts";
import { t } from "../texts/work.ts";
import { navigate, route } from "../lib/route.ts";
import { Dialog } from "../ui/dialog.tsx";
import { proofAsked } from "../proof.ts";
import { Toasts } from "../ui/toast.tsx";
import { Announcer } from "./announcer.tsx";
import { linkFaultOf, type LinkFault } from "../login/fault.ts";
import { exchangeCode, LinkProblem, LoginForm, LoginPage } from "../login/login-page.tsx";
import { Shell } from "./shell.tsx";
import { Lazy } from "./lazy.tsx";

interface AuthState {
  readonly authenticated: boolean;
  readonly person?: PersonLogin;
  readonly methods: readonly ("code" | "password")[];
}

const linkProblem = signal<LinkFault | undefined>(undefined);
const setupCode = signal<string | undefined>(undefined);

export function App(): VNode {
  useEffect(() => {
    void enter();
    const again = (): void => void enterAgain();
    addEventListener("hashchange", again);
    return () => removeEventListener("hashchange", again);
  }, []);
  return (
    <>
      <Page />
      {proofAsked.value && (
        <Lazy
          over
          load={async () => (await import("../ui/proof-dialog.tsx")).ProofDialog}
          props={{ answer: proofAsked.value }}
        />
      )}
      <Toasts />
      <Announcer />
    </>
  );
}

function Page(): VNode | null {
  const { page } = route.value;
  if (setupCode.value !== undefined || page === "setup")
    return (
      <Lazy
        load={async () => (await import("../login/setup-page.tsx")).SetupPage}
        props={{
          code: setupCode.value ?? "",
          onIn: () => {
            setupCode.value = undefined;
            navigate({ page: "welcome" }, { replace: true });
          },
          onClosed: () => {
            setupCode.value = undefined;
            linkProblem.value = { kind: "closed" };
            navigate({ page: "chat" }, { replace: true });
          },
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
          {page === "welcome" ? <Lazy load={loadWelcome} props={{}} /> : <Shell />}
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
        {linkProblem.value && <LinkProblem problem={linkProblem.value} />}
        <LoginForm startWith="code" onIn={() => undefined} />
      </div>
    </Dialog>
  );
}

/** The fragment goes first: it must be in no history, whatever happens next. */
function takeCode(): { readonly kind: string; readonly code: string } | undefined {
  const [, kind, code] = /^#(login|setup)=([\w-]+)$/.exec(location.hash) ?? [];
  if (kind === undefined || code === undefined) return undefined;
  history.replaceState(null, "", location.pathname + location.search);
  return { kind, code };
}

async function enter(): Promise<void> {
  const link = takeCode();
  if (link?.kind === "setup") setupCode.value = link.code;
  if (link?.kind === "login" && (await enterBy(link.code))) return;
  try {
    const { body } = await api.get<AuthState>("/auth/state");
    hasPassword.value = body.methods.includes("password");
    person.value = body.person;
    login.value = body.authenticated ? "in" : "out";
  } catch {
    // Without an answer the page opens with what it has: the bar says that the gateway is away.
    login.value = link?.kind === "login" || loginKey() === null ? "out" : "in";
  }
}

/** A fresh link was pasted into the tab that is open. */
async function enterAgain(): Promise<void> {
  const link = takeCode();
  if (link?.kind === "setup") setupCode.value = link.code;
  if (link?.kind === "login" && login.value !== "in") await enterBy(link.code);
}

/** @returns Whether the code of the link opened the door; if not, the page says why. */
async function enterBy(code: string): Promise<boolean> {
  try {
    await exchangeCode(code);
    linkProblem.value = undefined;
    return true;
  } catch (error) {
    linkProblem.value = linkFaultOf(error);
    return false;
  }
}
