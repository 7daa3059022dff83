/** Attachments: pictures of this gateway as `blob:` addresses, everything else as something to download. */
import type { VNode } from "preact";
import { useEffect, useState } from "preact/hooks";
import { fetchBlob } from "../../api.ts";
import { person } from "../../auth.ts";
import { bytes } from "../../texts/format.ts";
import { t } from "../../texts/work.ts";
import { saveBlob } from "../../lib/save-blob.ts";
import { Lazy } from "../../shell/lazy.tsx";
import { Icon } from "../../ui/icon.tsx";
import { tell } from "../../ui/tell.ts";
import type { BlobRef } from "../../wire.ts";

interface Media {
  readonly mediaType: string;
  readonly name?: string;
  readonly blob: BlobRef;
}

const SHOWN = /^image\/(png|jpeg|gif|webp|avif)$/;

/** @param session The conversation that shows it: who reads it has the file. */
export function MediaView({ part, session }: { part: Media; session: string | undefined }): VNode {
  const name = part.name ?? part.mediaType;
  const get = (until: { readonly signal?: AbortSignal } = {}): Promise<Blob> =>
    fetchBlob(`/media/${part.blob.sha256}`, { query: { session }, accept: "*/*", ...until });
  const [url, setUrl] = useState<string>();
  const isPicture = SHOWN.test(part.mediaType);
  useEffect(() => {
    // What a person has sent is theirs to read with the message that holds it, and not before.
    if (!isPicture || (session === undefined && person.value !== undefined)) return undefined;
    let made: string | undefined;
    const abort = new AbortController();
    get(abort).then(
      (blob) => {
        made = URL.createObjectURL(blob);
        setUrl(made);
      },
      () => undefined, // its chip stays, with the download
    );
    return () => {
      abort.abort();
      if (made !== undefined) URL.revokeObjectURL(made);
    };
  }, [part.blob.sha256, session]);
  const save = (): void => void tell(get().then((blob) => saveBlob(blob, name)));
  if (url !== undefined) return <Shown url={url} name={name} />;
  return (
    <button type="button" class="chip" title={t("attach.download", { name })} onClick={save}>
      <Icon name={isPicture ? "image" : "file"} size={16} />
      <span class="truncate">{name}</span>
      <span class="muted">{bytes(part.blob.bytes)}</span>
    </button>
  );
}

/** Opens alone, with the others that stand in this chat beside it. */
function Shown({ url, name }: { readonly url: string; readonly name: string }): VNode {
  const [open, setOpen] = useState(false);
  const pictures = (): { url: string; name: string }[] =>
    [...document.querySelectorAll<HTMLImageElement>("img.media")].map(({ src, alt }) => ({ url: src, name: alt }));
  return (
    // A double click on a picture is none on its message.
    <div onDblClick={(event) => event.stopPropagation()}>
      <button type="button" class="media-open" aria-label={t("attach.enlarge", { name })} onClick={() => setOpen(true)}>
        <img class="media" src={url} alt={name} />
      </button>
      {open && <Lazy over load={lightbox} props={{ pictures: pictures(), url, onClose: () => setOpen(false) }} />}
    </div>
  );
}

async function lightbox() {
  return (await import("../lightbox/lightbox.tsx")).Lightbox;
}
