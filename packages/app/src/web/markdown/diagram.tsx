/** A mermaid block: drawn in a sandboxed frame when it is seen, shown as a picture in which nothing can run. */
import type { VNode } from "preact";
import { useEffect, useRef, useState } from "preact/hooks";
import { Button } from "../ui/button.tsx";
import { Skeleton } from "../ui/states.tsx";
import { Code } from "./code.tsx";
import { DiagramPicture, type Drawn } from "./diagram-picture.tsx";
import { t } from "./texts.ts";

const MAX_SOURCE = 50_000;
const MAX_SVG = 2_000_000;
const WITHIN_MS = 5_000;
const FRAME = import.meta.env.MARGAY_DIAGRAM;

export function Diagram({ source }: { source: string }): VNode {
  const place = useRef<HTMLDivElement>(null);
  const [picture, setPicture] = useState<Drawn>();
  const [fault, setFault] = useState<string>();
  const [asSource, setAsSource] = useState(false);
  useEffect(() => {
    if (source.length > MAX_SOURCE) {
      setFault(t("diagram.large"));
      return undefined;
    }
    const abort = new AbortController();
    let url: string | undefined;
    const watcher = new IntersectionObserver((entries) => {
      if (!place.current || !entries.some(({ isIntersecting }) => isIntersecting)) return;
      watcher.disconnect();
      drawn(source, place.current, abort.signal).then(
        (svg) => {
          url = URL.createObjectURL(new Blob([svg], { type: "image/svg+xml" }));
          setPicture({ url, width: widthOf(svg) });
        },
        (error: unknown) => setFault(error instanceof Error ? error.message : String(error)),
      );
    });
    if (place.current) watcher.observe(place.current);
    return () => {
      watcher.disconnect();
      abort.abort();
      if (url !== undefined) URL.revokeObjectURL(url);
    };
  }, [source]);
  if (fault !== undefined)
    return (
      <div>
        <p class="muted small">{t("diagram.failed", { reason: fault })}</p>
        <Code code={source} language="mermaid" open={false} />
      </div>
    );
  return (
    <div class="diagram" ref={place}>
      {picture === undefined && (
        <div class="diagram-wait">
          <span class="muted small">{t("diagram.drawing")}</span>
          <Skeleton lines={3} />
        </div>
      )}
      {picture !== undefined && !asSource && <DiagramPicture drawn={picture} onSource={() => setAsSource(true)} />}
      {asSource && (
        <>
          <Code code={source} language="mermaid" open={false} />
          <div class="diagram-tools">
            <Button kind="quiet" size="small" onClick={() => setAsSource(false)}>
              {t("diagram.picture")}
            </Button>
          </div>
        </>
      )}
    </div>
  );
}

/** Its own width: without it the picture would fill the column, however small the diagram is. */
function widthOf(svg: string): number | undefined {
  const width = Number(/viewBox="[-\d.]+ [-\d.]+ ([\d.]+) [\d.]+"/.exec(svg)?.[1]);
  return Number.isFinite(width) ? Math.ceil(width) : undefined;
}

/** One frame per drawing, gone afterwards. Its origin is opaque: it has no cookie, no storage, no network. */
function drawn(source: string, place: HTMLElement, signal: AbortSignal): Promise<string> {
  const dark = document.documentElement.dataset["theme"] === "dark";
  return new Promise<string>((resolve, reject) => {
    const frame = document.createElement("iframe");
    frame.setAttribute("sandbox", "allow-scripts");
    frame.className = "diagram-frame";
    frame.title = t("diagram.alt");
    frame.src = FRAME;
    const timer = setTimeout(() => finish(() => reject(new Error(t("diagram.slow")))), WITHIN_MS);
    const finish = (settle: () => void): void => {
      clearTimeout(timer);
      removeEventListener("message", onMessage);
      frame.remove();
      settle();
    };
    const onMessage = (event: MessageEvent<unknown>): void => {
      if (event.source !== frame.contentWindow || typeof event.data !== "object" || event.data === null) return;
      const { ready, svg, error } = event.data as { ready?: unknown; svg?: unknown; error?: unknown };
      if (ready === true) frame.contentWindow?.postMessage({ source, dark }, "*"); // an opaque origin has no name
      else if (typeof svg === "string" && svg.length <= MAX_SVG && svg.startsWith("<svg")) finish(() => resolve(svg));
      else finish(() => reject(new Error(typeof error === "string" ? error.slice(0, 300) : "–")));
    };
    addEventListener("message", onMessage);
    signal.addEventListener("abort", () => finish(() => reject(new Error("–"))), { once: true });
    place.append(frame);
  });
}
