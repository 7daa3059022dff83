/** The page beside the chat: its heading, its width, and its code, loaded when it is first opened. */
import { signal } from "@preact/signals";
import type { VNode } from "preact";
import { useEffect, useRef } from "preact/hooks";
import { t } from "../texts/work.ts";
import { closePanel } from "../lib/route.ts";
import { Button } from "../ui/button.tsx";
import { Empty } from "../ui/states.tsx";
import { Lazy } from "./lazy.tsx";
import { panelOf } from "../pages.tsx";
import { panelCovered } from "./layout.ts";

export const panelIsWide = signal(false);

const WIDTH = "margay.panel-width";
const LEAST = 360;
const MOST = 1100;
const NORMAL = 480;
const STEP = 16;

const width = signal(clamp(Number(localStorage.getItem(WIDTH) ?? NORMAL)));

export function PanelHost({ panel: address }: { panel: string }): VNode {
  const panel = panelOf(address);
  const heading = useRef<HTMLHeadingElement>(null);
  const host = useRef<HTMLElement>(null);
  const title = panel ? panel.title() : t("panel.unknown");
  useReturnOfFocus();
  useEffect(() => heading.current?.focus({ preventScroll: true }), [panel?.id]);
  useEffect(() => sessionStorage.setItem("margay.last-panel", address), [address]);
  useEffect(() => host.current?.style.setProperty("--panel-width", `${String(width.value)}px`), [width.value]);
  return (
    <aside
      class="panel"
      ref={host}
      aria-label={title}
      inert={panelCovered.value}
      onKeyDown={(event) => {
        if (event.key === "Escape" && !event.defaultPrevented && !event.isComposing) {
          event.preventDefault();
          closePanel();
        }
      }}
    >
      <Separator />
      <header class="panel-head">
        <h2 class="truncate" tabIndex={-1} ref={heading}>
          {title}
        </h2>
        <Button
          kind="quiet"
          icon="expand"
          class="panel-expand"
          label={t(panelIsWide.value ? "panel.narrow" : "panel.wide")}
          aria-pressed={panelIsWide.value}
          onClick={() => {
            panelIsWide.value = !panelIsWide.value;
          }}
        />
        <Button kind="quiet" icon="close" label={t("panel.close")} onClick={closePanel} />
      </header>
      <div class="panel-body">
        {panel ? (
          <Lazy key={panel.id} load={panel.load} props={{}} />
        ) : (
          <Empty icon="help">
            <p>{t("panel.unknown")}</p>
          </Empty>
        )}
      </div>
    </aside>
  );
}

/** Closing gives the focus back to what opened the page; when that is gone (a drawer, a palette), to the message field. */
function useReturnOfFocus(): void {
  useEffect(() => {
    const before = document.activeElement;
    return () => {
      if (document.activeElement !== document.body && document.activeElement?.closest(".panel") === null) return;
      requestAnimationFrame(() => {
        if (document.activeElement !== document.body) return; // a key or a click since then led elsewhere
        const known = before instanceof HTMLElement && before.checkVisibility({ visibilityProperty: true });
        const target = known && before !== document.body ? before : document.querySelector<HTMLElement>("#composer");
        target?.focus({ preventScroll: true });
      });
    };
  }, []);
}

/** Dragged, or moved by the arrow keys; a double click gives the normal width back. */
function Separator(): VNode {
  const start = useRef<{ x: number; width: number }>(undefined);
  const set = (next: number): void => {
    width.value = clamp(next);
    localStorage.setItem(WIDTH, String(width.value));
  };
  return (
    <div
      class="panel-resize"
      role="separator"
      tabIndex={0}
      aria-orientation="vertical"
      aria-label={t("panel.resize")}
      aria-valuenow={width.value}
      aria-valuemin={LEAST}
      aria-valuemax={MOST}
      onDblClick={() => set(NORMAL)}
      onKeyDown={(event) => {
        if (event.key === "ArrowLeft") set(width.value + STEP);
        else if (event.key === "ArrowRight") set(width.value - STEP);
        else if (event.key === "Home") set(LEAST);
        else if (event.key === "End") set(MOST);
        else return;
        event.preventDefault();
      }}
      onPointerDown={(event) => {
        start.current = { x: event.clientX, width: width.value };
        event.currentTarget.setPointerCapture(event.pointerId);
      }}
      onPointerMove={(event) => {
        if (start.current) set(start.current.width + start.current.x - event.clientX);
      }}
      onPointerUp={() => {
        start.current = undefined;
      }}
    />
  );
}

function clamp(wanted: number): number {
  return Math.round(Math.max(LEAST, Math.min(MOST, Number.isFinite(wanted) ? wanted : NORMAL)));
}
