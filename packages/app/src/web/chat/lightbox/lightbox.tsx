/** A picture alone: as large as the window, larger by keys, wheel buttons or a double click; ← and → lead to the others of the chat. */
import type { VNode } from "preact";
import { useRef, useState } from "preact/hooks";
import { Button } from "../../ui/button.tsx";
import { Dialog } from "../../ui/dialog.tsx";
import { t } from "./texts.ts";
import "./lightbox.css";

export interface Picture {
  readonly url: string;
  readonly name: string;
}

interface LightboxProps {
  readonly pictures: readonly Picture[];
  /** Of the one that is shown first. */
  readonly url: string;
  readonly onClose: () => void;
}

const STEP = 1.25;
const MOST = 8;

export function Lightbox({ pictures, url, onClose }: LightboxProps): VNode | null {
  const [at, setAt] = useState(() => pictures.findIndex((one) => one.url === url));
  const [zoom, setZoom] = useState(1);
  /** Of the picture as it fits: what is larger is that many times as wide. */
  const [fitted, setFitted] = useState(0);
  const element = useRef<HTMLImageElement>(null);
  const picture = pictures[at];
  if (picture === undefined) return null;
  const by = (factor: number): void => {
    if (zoom === 1) setFitted(element.current?.clientWidth ?? 0);
    setZoom(Math.min(MOST, Math.max(1, zoom * factor)));
  };
  const go = (step: number): void => {
    if (pictures[at + step] === undefined) return;
    setAt(at + step);
    setZoom(1);
  };
  const keys: Readonly<Record<string, () => void>> = {
    "+": () => by(STEP),
    "=": () => by(STEP),
    "-": () => by(1 / STEP),
    "0": () => setZoom(1),
    // Enlarged, arrows move the picture.
    ...(zoom === 1 && { ArrowLeft: () => go(-1), ArrowRight: () => go(1) }),
  };
  const onKey = (event: KeyboardEvent): void => {
    const act = event.ctrlKey || event.metaKey || event.altKey ? undefined : keys[event.key];
    if (act === undefined) return;
    event.preventDefault();
    event.stopPropagation(); // the page has keys of its own
    act();
  };
  return (
    <Dialog title={picture.name} onClose={onClose} wide>
      <div class="lightbox" onKeyDown={onKey}>
        <div class="lightbox-scroll" role="region" aria-label={picture.name} tabIndex={0} autofocus>
          <img
            ref={element}
            src={picture.url}
            alt={picture.name}
            class={zoom > 1 ? "zoomed" : ""}
            width={zoom > 1 ? Math.round(fitted * zoom) : undefined}
            onDblClick={() => (zoom > 1 ? setZoom(1) : by(2))}
          />
        </div>
        <div class="lightbox-tools">
          {pictures.length > 1 && (
            <>
              <Button kind="quiet" icon="chevronLeft" label={t("before")} disabled={at === 0} onClick={() => go(-1)} />
              <span class="muted small" role="status">
                {t("of", { n: at + 1, all: pictures.length })}
              </span>
              <Button
                kind="quiet"
                icon="chevronRight"
                label={t("next")}
                disabled={at === pictures.length - 1}
                onClick={() => go(1)}
              />
            </>
          )}
          <span class="grow" />
          <Button kind="quiet" icon="minus" label={t("out")} disabled={zoom === 1} onClick={() => by(1 / STEP)} />
          <Button kind="quiet" label={t("fit", { share: Math.round(zoom * 100) })} onClick={() => setZoom(1)}>
            {`${String(Math.round(zoom * 100))} %`}
          </Button>
          <Button kind="quiet" icon="plus" label={t("in")} disabled={zoom === MOST} onClick={() => by(STEP)} />
          <a class="button quiet" href={picture.url} download={picture.name}>
            {t("save")}
          </a>
        </div>
      </div>
    </Dialog>
  );
}
