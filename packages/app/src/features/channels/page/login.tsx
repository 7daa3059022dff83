/** Logging in by a code: what the phone reads, how long it holds, and what became of it. Whoever leaves the page cancels it. */
import { useEffect, useState } from "preact/hooks";
import { respond } from "../../../web/api.ts";
import { c } from "../../../web/texts/panels-common.ts";
import { Button } from "../../../web/ui/button.tsx";
import { toast } from "../../../web/ui/toast.tsx";
import { toProblem, type Problem } from "../../../web/panel-kit/api.ts";
import { timeOfDay } from "../../../web/panel-kit/format.ts";
import { ProblemNote } from "../../../web/panel-kit/problem-note.tsx";
import { useNow } from "../../../web/panel-kit/time.ts";
import type { LoginEvent } from "../schema.ts";
import type { InstalledKind } from "./types.ts";
import { QrCode } from "./qr-code.tsx";
import { t } from "./texts.ts";

interface LoginProps {
  readonly of: Pick<InstalledKind, "login">;
  readonly id: string;
  /** Of a channel that is not saved yet: what the form says. */
  readonly draft: Readonly<Record<string, unknown>>;
  readonly disabled: boolean;
  readonly done: () => Promise<void> | void;
}

/** Nothing, where settings are typed in. @param done It is saved, and switched on. */
export function Login({ of: { login }, disabled, ...flow }: LoginProps) {
  const [isOpen, setOpen] = useState(false);
  if (login === "none") return null;
  return (
    <section class="p-card stack" aria-label={t("qr")}>
      <p>{t("loginWhy")}</p>
      {isOpen ? (
        <Flow {...flow} close={() => setOpen(false)} />
      ) : (
        <div class="p-row">
          <Button kind="primary" disabled={disabled} onClick={() => setOpen(true)}>
            {t("loginBegin")}
          </Button>
        </div>
      )}
    </section>
  );
}

function Flow({ id, draft, done, close }: Omit<LoginProps, "disabled" | "of"> & { readonly close: () => void }) {
  const [event, setEvent] = useState<LoginEvent | undefined>(undefined);
  const [problem, setProblem] = useState<Problem | undefined>(undefined);
  const [round, setRound] = useState(1);
  useEffect(() => {
    const over = new AbortController();
    const follow = async (): Promise<void> => {
      for await (const next of eventsOf(id, draft, over.signal)) {
        setEvent(next);
        if (next.type !== "done") continue;
        toast(t("loginDone", { name: id, account: next.account }));
        close();
        await done();
      }
    };
    follow().catch((error: unknown) => over.signal.aborted || setProblem(toProblem(error)));
    return () => over.abort();
    // What the form says afterwards is of no concern to a login that has begun.
  }, [id, round]);
  const again = (): void => {
    setEvent(undefined);
    setProblem(undefined);
    setRound(round + 1);
  };
  const isOver = problem !== undefined || event?.type === "failed";
  return (
    <div class="stack">
      {problem !== undefined && <ProblemNote problem={problem} onClose={close} />}
      <div role="status" class="stack">
        {!isOver && (event === undefined ? <p class="muted">{t("loginWaits")}</p> : <Shown event={event} />)}
        {event?.type === "failed" && <p class="p-error">{event.text}</p>}
      </div>
      <div class="p-row">
        {isOver && (
          <Button kind="primary" onClick={again}>
            {t("loginAgain")}
          </Button>
        )}
        <Button onClick={close}>{c("cancel")}</Button>
      </div>
    </div>
  );
}

function Shown({ event }: { readonly event: LoginEvent }) {
  switch (event.type) {
    case "qr":
      return (
        <>
          <p>{t("loginScan")}</p>
          <QrCode size={event.size} path={event.path} label={t("loginCode")} />
          {/^https?:/.test(event.data) && (
            <p>
              <a href={event.data} target="_blank" rel="noopener noreferrer">
                {t("loginHere")}
              </a>
            </p>
          )}
          <Until at={event.expiresAt} />
        </>
      );
    case "code":
      return (
        <>
          <p>{t("loginEnter")}</p>
          <p class="p-mono p-title">{event.code}</p>
          {event.url !== undefined && /^https?:/.test(event.url) && (
            <a href={event.url} target="_blank" rel="noopener noreferrer">
              {event.url}
            </a>
          )}
          <Until at={event.expiresAt} />
        </>
      );
    case "scanned":
      return <p>{t("loginScanned")}</p>;
    case "done":
    case "failed": // said elsewhere
      return null;
  }
}

function Until({ at }: { readonly at: number }) {
  const isOver = useNow(1000) >= at;
  return <p class="p-faint">{isOver ? t("loginExpired") : t("loginUntil", { when: timeOfDay(at) })}</p>;
}

/** @throws ApiProblem; the reason of the signal. */
async function* eventsOf(
  id: string,
  draft: Readonly<Record<string, unknown>>,
  signal: AbortSignal,
): AsyncGenerator<LoginEvent> {
  const path = `/channels/${encodeURIComponent(id)}/login`;
  // Where the platform is, and no more.
  const { kind, baseUrl, options } = draft;
  const response = await respond("POST", path, {
    body: { kind, baseUrl, options },
    accept: "text/event-stream",
    signal,
  });
  const reader = response.body?.pipeThrough(new TextDecoderStream()).getReader();
  let text = "";
  for (;;) {
    const part = await reader?.read();
    if (part?.value === undefined) return;
    const blocks = (text + part.value).split("\n\n");
    text = blocks.pop() ?? "";
    for (const block of blocks) {
      const data = /^event: step\ndata: (.*)$/m.exec(block)?.[1];
      if (data !== undefined) yield JSON.parse(data) as LoginEvent; // what `loginChannel` tells
    }
  }
}
