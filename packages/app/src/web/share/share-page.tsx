/** Sharing a chat as one file: what leaves is seen before, and chosen. */
import type { VNode } from "preact";
import { useEffect, useState } from "preact/hooks";
import { route } from "../lib/route.ts";
import { saveBlob } from "../lib/save-blob.ts";
import { Frame } from "../preview/frame.tsx";
import "../preview/preview.css";
import { bytes } from "../texts/format.ts";
import { language } from "../texts/texts.ts";
import { Button } from "../ui/button.tsx";
import { Check } from "../ui/field.tsx";
import { ProblemBox } from "../ui/problem.tsx";
import { Empty, Skeleton } from "../ui/states.tsx";
import { makePage, type Choice, type Shared } from "./make-page.ts";
import { t } from "./texts.ts";
import "./share.css";

const MOST_CAREFUL: Choice = { tools: false, thinking: false, pictures: true, times: true };

export function SharePage(): VNode {
  const session = (route.value.panel ?? "").split("/")[1];
  if (session === undefined) return <Empty icon="file">{t("none")}</Empty>;
  return <Share key={session} session={session} />;
}

function Share({ session }: { readonly session: string }): VNode {
  const [choice, setChoice] = useState(MOST_CAREFUL);
  const [shared, setShared] = useState<Shared>();
  const [fault, setFault] = useState<unknown>();
  const [tries, setTries] = useState(0);
  const spoken = language.value;
  useEffect(() => {
    const abort = new AbortController();
    setFault(undefined);
    makePage(session, choice, abort.signal).then(
      (made) => abort.signal.aborted || setShared(made),
      (error: unknown) => abort.signal.aborted || setFault(error),
    );
    return () => abort.abort();
  }, [session, choice, spoken, tries]);
  if (fault !== undefined) return <ProblemBox error={fault} onRetry={() => setTries(tries + 1)} />;
  if (shared === undefined) return <Skeleton />;
  const { html, title, masked, messages, calls, pictures } = shared;
  const file = new Blob([html], { type: "text/html" });
  const option = (name: keyof Choice, label: string) => (
    <Check label={label} checked={choice[name]} onChecked={(on) => setChoice({ ...choice, [name]: on })} />
  );
  return (
    <div class="stack share">
      <p class="muted">{t("why")}</p>
      <fieldset class="share-choice">
        <legend>{t("leaves", { n: messages })}</legend>
        {option("times", t("times"))}
        {pictures > 0 && option("pictures", t("pictures", { n: pictures }))}
        {calls > 0 && option("tools", t("tools", { n: calls }))}
        {option("thinking", t("thoughts"))}
      </fieldset>
      <p class="small" role="status">
        {masked === 0 ? t("maskedNone") : t("masked", { n: masked })}
      </p>
      <div class="p-row">
        <Button kind="primary" icon="download" onClick={() => saveBlob(file, `${fileName(title)}.html`)}>
          {t("save", { size: bytes(file.size) })}
        </Button>
      </div>
      <h3>{t("preview")}</h3>
      <Frame html={html} title={t("preview")} onFault={() => {}} />
    </div>
  );
}

/** What every system takes as a name. */
function fileName(title: string): string {
  return (
    title
      .replaceAll(/[\\/:*?"<>|\p{Cc}]+/gu, " ")
      .trim()
      .slice(0, 80) || "chat"
  );
}
