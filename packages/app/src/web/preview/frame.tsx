/** A page that the model wrote, in a frame of its own: an opaque origin, no network, and an end when it does not answer. */
import type { VNode } from "preact";
import { useEffect, useRef, useState } from "preact/hooks";
import { Button } from "../ui/button.tsx";
import { t } from "./texts.ts";

const FRAME = import.meta.env.MARGAY_PREVIEW;
const PING_MS = 1_000;
/** Pings in a row without an answer: it is caught in a loop. */
const SILENT_PINGS = 5;
/** A page of ours that shows something has no use for more. */
const MAX_MESSAGES = 500;
const MAX_FAULT_CHARS = 300;
/**
 * From this version on, measured, chromium keeps all that a document opens within `Connection-Allowlist`: WebRTC, and the
 * connection that it would prepare for a navigation which `frame-src` then refuses. Other browsers know no header for these.
 */
const HOLDS_FROM_CHROMIUM = 156;

export type Fault = { readonly kind: "silent" | "flood" } | { readonly kind: "script"; readonly text: string };

interface FrameProps {
  readonly html: string;
  readonly title: string;
  /** It was stopped, or what it runs has failed. */
  readonly onFault: (fault: Fault) => void;
}

export function Frame({ html, title, onFault }: FrameProps): VNode {
  const place = useRef<HTMLDivElement>(null);
  const [asked, setAsked] = useState(false);
  const isRun = asked || holdsNetwork(navigator.userAgent);
  const hasScripts = /<script|\son\w+\s*=|javascript:/i.test(html);
  useEffect(
    () => (place.current ? showIn(place.current, { html, scripts: isRun, title, onFault }) : undefined),
    [html, isRun],
  );
  return (
    <div class="preview-stage">
      {hasScripts && !isRun && (
        <div class="note-box">
          <div class="grow">{t("scripts.off")}</div>
          <Button size="small" onClick={() => setAsked(true)}>
            {t("scripts.run")}
          </Button>
        </div>
      )}
      <div class="preview-place" ref={place} />
    </div>
  );
}

export function holdsNetwork(userAgent: string): boolean {
  return Number(/Chrom(?:e|ium)\/(\d+)/.exec(userAgent)?.[1] ?? 0) >= HOLDS_FROM_CHROMIUM;
}

interface Shown extends FrameProps {
  readonly scripts: boolean;
}

/** @returns what takes it away again. */
function showIn(place: HTMLElement, { html, scripts, title, onFault }: Shown): () => void {
  const frame = document.createElement("iframe");
  frame.setAttribute("sandbox", "allow-scripts");
  frame.setAttribute("allow", "focus-without-user-activation 'none'");
  frame.referrerPolicy = "no-referrer";
  frame.className = "preview-frame";
  frame.title = title;
  frame.src = FRAME;
  let messages = 0;
  let silent = 0;
  let given = false;
  const end = (fault?: Fault): void => {
    clearInterval(pings);
    removeEventListener("message", hear);
    frame.remove();
    if (fault) onFault(fault);
  };
  const hear = ({ source, data }: MessageEvent<unknown>): void => {
    if (source !== frame.contentWindow) return;
    messages += 1;
    if (messages > MAX_MESSAGES) return end({ kind: "flood" });
    if (typeof data !== "object" || data === null) return;
    const { ready, pong, fault } = data as { ready?: unknown; pong?: unknown; fault?: unknown };
    if (ready === true && !given) {
      given = true;
      frame.contentWindow?.postMessage({ html, scripts }, "*"); // an opaque origin has no name
    } else if (pong !== undefined) {
      silent = 0;
      messages = Math.max(0, messages - 1);
    } else if (typeof fault === "string") onFault({ kind: "script", text: fault.slice(0, MAX_FAULT_CHARS) });
  };
  const pings = setInterval(() => {
    if (document.visibilityState === "hidden") return; // timers of both are slow then
    if (given && silent >= SILENT_PINGS) return end({ kind: "silent" });
    if (given) silent += 1;
    frame.contentWindow?.postMessage({ ping: silent }, "*");
  }, PING_MS);
  addEventListener("message", hear);
  place.append(frame);
  return () => end();
}
