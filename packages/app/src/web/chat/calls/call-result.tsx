/** What a call gave back: terminal, code, text; long ones are fetched whole when they are wanted. */
import { isCut, type CallView, type Cut } from "@margay/core/internal/state";
import type { VNode } from "preact";
import { useLayoutEffect, useMemo, useRef, useState } from "preact/hooks";
import { api } from "../../api.ts";
import { bytes } from "../../texts/format.ts";
import { t } from "../../texts/work.ts";
import { ansiRuns } from "../../lib/ansi.ts";
import { Code } from "../../markdown/code.tsx";
import { visible } from "../../markdown/visible-text.tsx";
import { Button } from "../../ui/button.tsx";
import { CopyButton } from "../../ui/copy-button.tsx";
import { tell } from "../../ui/tell.ts";
import { MediaView } from "../feed/media.tsx";
import { OutputViewer } from "./output-viewer.tsx";
import { apiPath } from "../feed/user-text.tsx";

export function CallResult({ call }: { call: CallView }): VNode {
  const { result } = call;
  if (result === undefined) return <></>;
  if (isCut(result)) return <CutResult cut={result} />;
  const text = result.map((part) => (part.type === "text" ? part.text : "")).join("\n");
  const media = result.filter((part) => part.type === "media");
  return (
    <>
      {text === "" && media.length === 0 && <p class="muted small">{t("call.empty")}</p>}
      {text !== "" && <ResultText call={call} text={text} />}
      {media.map((part) => (
        <MediaView key={part.blob.sha256} part={part} session={call.session} />
      ))}
    </>
  );
}

function ResultText({ call, text }: { call: CallView; text: string }): VNode {
  if (call.status === "ok" && call.name.startsWith("mcp") && /^\s*[[{]/.test(text))
    return <Code code={pretty(text)} language="json" open={false} />;
  return <Terminal text={text} label={t("call.result")} />;
}

function pretty(text: string): string {
  try {
    return JSON.stringify(JSON.parse(text), null, 2);
  } catch {
    return text;
  }
}

function CutResult({ cut }: { cut: Cut }): VNode {
  const [whole, setWhole] = useState<string>();
  const load = async (): Promise<void> => {
    const { body } = await api.get<string>(apiPath(cut.href), { accept: "text/plain" });
    setWhole(typeof body === "string" ? body : JSON.stringify(body, null, 2));
  };
  if (whole !== undefined) return <OutputViewer text={whole} />;
  return (
    <>
      <Terminal text={`${cut.head}\n… ${bytes(cut.bytes)} …\n${cut.tail}`} label={t("call.result")} />
      <Button size="small" needs="getCallOutput" onClick={() => void tell(load())}>
        {t("call.whole", { size: bytes(cut.bytes) })}
      </Button>
    </>
  );
}

const LIVE_LINES = 200;

export function Terminal({ text, label, follow = false }: { text: string; label: string; follow?: boolean }): VNode {
  const place = useRef<HTMLPreElement>(null);
  const shown = follow ? text.split("\n").slice(-LIVE_LINES).join("\n") : text;
  const runs = useMemo(() => ansiRuns(shown), [shown]);
  useLayoutEffect(() => {
    if (follow && place.current) place.current.scrollTop = place.current.scrollHeight;
  }, [shown, follow]);
  return (
    <div class="terminal-frame">
      <pre class="terminal" ref={place} role="region" aria-label={label} tabIndex={0}>
        {runs.map((run, index) =>
          run.style === "" ? (
            <span key={index}>{visible(run.text)}</span>
          ) : (
            <span key={index} class={run.style}>
              {visible(run.text)}
            </span>
          ),
        )}
      </pre>
      {!follow && <CopyButton text={() => runs.map((run) => run.text).join("")} />}
    </div>
  );
}
