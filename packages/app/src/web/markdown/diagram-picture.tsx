/** A drawn diagram: zoomed in its place, seen large, saved as SVG or PNG. */
import type { VNode } from "preact";
import { useState } from "preact/hooks";
import { saveBlob } from "../lib/save-blob.ts";
import { Button } from "../ui/button.tsx";
import { Dialog } from "../ui/dialog.tsx";
import { tell } from "../ui/tell.ts";
import { t } from "./texts.ts";

const ZOOM_STEP = 1.25;
const ZOOM_MIN = 0.4;
const ZOOM_MAX = 5;
/** What a small diagram grows to when it is seen large. */
const LARGE_WIDTH = 760;
const LARGE_MAX = 3;
/** Of the PNG: sharp on a screen with twice the dots. */
const PNG_SCALE = 2;
const PNG_MAX_SIDE = 8_000;

export interface Drawn {
  /** A `blob:` address. */
  readonly url: string;
  readonly width: number | undefined;
}

interface PictureProps {
  readonly drawn: Drawn;
  readonly onSource: () => void;
}

export function DiagramPicture({ drawn, onSource }: PictureProps): VNode {
  const [large, setLarge] = useState(false);
  return (
    <>
      <Zoomed drawn={drawn}>
        <Button
          kind="quiet"
          size="small"
          icon="expand"
          label={t("diagram.large-view")}
          onClick={() => setLarge(true)}
        />
        <Button kind="quiet" size="small" onClick={onSource}>
          {t("diagram.source")}
        </Button>
        <a class="button quiet small" href={drawn.url} download="diagram.svg">
          {t("diagram.download")}
        </a>
        <Button
          kind="quiet"
          size="small"
          onClick={(event) => void tell(savePng(event.currentTarget.closest(".diagram")?.querySelector("img") ?? null))}
        >
          {t("diagram.download.png")}
        </Button>
      </Zoomed>
      {large && (
        <Dialog title={t("diagram.alt")} wide onClose={() => setLarge(false)}>
          <div class="diagram-large">
            <Zoomed
              drawn={drawn}
              start={Math.min(LARGE_MAX, Math.max(1, LARGE_WIDTH / (drawn.width ?? LARGE_WIDTH)))}
            />
          </div>
        </Dialog>
      )}
    </>
  );
}

interface ZoomedProps {
  readonly drawn: Drawn;
  readonly start?: number;
  /** Further tools. */
  readonly children?: VNode[];
}

function Zoomed({ drawn, start = 1, children }: ZoomedProps): VNode {
  const [zoom, setZoom] = useState(start);
  const by = (factor: number): void => setZoom(Math.min(ZOOM_MAX, Math.max(ZOOM_MIN, zoom * factor)));
  const share = String(Math.round(zoom * 100));
  const { url, width } = drawn;
  return (
    <>
      <div class="diagram-scroll" role="region" aria-label={t("diagram.alt")} tabIndex={0}>
        <img
          src={url}
          alt={t("diagram.alt")}
          // At its own size it never leaves the column; enlarged it scrolls.
          class={zoom > 1 ? "zoomed" : ""}
          width={width === undefined ? undefined : Math.round(width * zoom)}
        />
      </div>
      <div class="diagram-tools">
        <Button
          kind="quiet"
          size="small"
          icon="minus"
          label={t("diagram.zoom.out")}
          disabled={zoom <= ZOOM_MIN}
          onClick={() => by(1 / ZOOM_STEP)}
        />
        <Button kind="quiet" size="small" label={t("diagram.zoom.reset", { share })} onClick={() => setZoom(1)}>
          {`${share} %`}
        </Button>
        <Button
          kind="quiet"
          size="small"
          icon="plus"
          label={t("diagram.zoom.in")}
          disabled={zoom >= ZOOM_MAX}
          onClick={() => by(ZOOM_STEP)}
        />
        {children}
      </div>
    </>
  );
}

/** Drawn by the browser from the picture that is on screen. */
async function savePng(picture: HTMLImageElement | null): Promise<void> {
  if (!picture) return;
  const { naturalWidth, naturalHeight } = picture;
  const scale = Math.min(PNG_SCALE, PNG_MAX_SIDE / Math.max(naturalWidth, naturalHeight));
  const canvas = document.createElement("canvas");
  canvas.width = Math.round(naturalWidth * scale);
  canvas.height = Math.round(naturalHeight * scale);
  canvas.getContext("2d")?.drawImage(picture, 0, 0, canvas.width, canvas.height);
  const blob = await new Promise<Blob | null>((resolve) => canvas.toBlob(resolve, "image/png"));
  if (!blob) throw new Error(t("diagram.no-png"));
  saveBlob(blob, "diagram.png");
}
