/** Files on their way with the next message: chosen, pasted or dropped; uploaded at once, refused with the reason. */
import type { VNode } from "preact";
import { useEffect, useRef, useState } from "preact/hooks";
import { ApiProblem } from "../../api.ts";
import { bytes } from "../../texts/format.ts";
import { t } from "../../texts/work.ts";
import { randomId } from "../../lib/ids.ts";
import { Button } from "../../ui/button.tsx";
import { Icon } from "../../ui/icon.tsx";
import { uploadFile } from "../../upload.ts";
import type { OutgoingPart } from "../../wire.ts";

const MAX_BYTES = 25 * 1024 * 1024;

export interface Attachment {
  readonly id: string;
  readonly name: string;
  readonly size: number;
  readonly state: "uploading" | "ready" | "failed";
  /** From 0 to 1, while it is uploading. */
  readonly progress?: number;
  readonly fault?: string;
  /** Of pictures, before they are sent. */
  readonly preview?: string;
  /** What was pasted, to insert it as text instead. */
  readonly pasted?: string;
  readonly part?: OutgoingPart;
}

export interface AttachmentList {
  readonly items: readonly Attachment[];
  readonly dragging: boolean;
  add(files: readonly File[], pasted?: string): void;
  remove(id: string): void;
  clear(): void;
  choose(): void;
}

/** @param onText Text that was dropped outside of a field. */
export function useAttachments(onText: (text: string) => void): AttachmentList {
  const [items, setItems] = useState<readonly Attachment[]>([]);
  const change = (id: string, next: Partial<Attachment>): void =>
    setItems((all) => all.map((one) => (one.id === id ? { ...one, ...next } : one)));
  const uploads = useRef(new Map<string, AbortController>());
  const upload = async (id: string, file: File): Promise<void> => {
    const abort = new AbortController();
    uploads.current.set(id, abort);
    try {
      const { blob, mediaType } = await uploadFile(file, (progress) => change(id, { progress }), abort.signal);
      change(id, { state: "ready", part: { type: "media", blob, mediaType, name: file.name } });
    } catch (error) {
      change(id, { state: "failed", fault: error instanceof ApiProblem ? error.message : t("attach.failed") });
    } finally {
      uploads.current.delete(id);
    }
  };
  const add = (files: readonly File[], pasted?: string): void => {
    for (const file of files) {
      const id = randomId("a");
      const isLarge = file.size > MAX_BYTES;
      const one: Attachment = {
        id,
        name: file.name,
        size: file.size,
        state: isLarge ? "failed" : "uploading",
        ...(isLarge && { fault: t("attach.large") }),
        ...(file.type.startsWith("image/") && !isLarge && { preview: URL.createObjectURL(file) }),
        ...(pasted !== undefined && { pasted }),
      };
      setItems((all) => [...all, one]);
      if (!isLarge) void upload(id, file);
    }
  };
  const forget = (gone: readonly Attachment[]): void => {
    for (const { id, preview } of gone) {
      uploads.current.get(id)?.abort();
      if (preview !== undefined) URL.revokeObjectURL(preview);
    }
  };
  const dragging = useDropped(add, onText);
  return {
    items,
    dragging,
    add,
    remove: (id) =>
      setItems((all) => {
        forget(all.filter((one) => one.id === id));
        return all.filter((one) => one.id !== id);
      }),
    clear: () =>
      setItems((all) => {
        forget(all);
        return [];
      }),
    choose: () => {
      const input = document.createElement("input");
      input.type = "file";
      input.multiple = true;
      input.onchange = () => add([...(input.files ?? [])]);
      input.click();
    },
  };
}

/** Whether something is dragged over the chat; what is dropped there is taken. */
function useDropped(add: (files: readonly File[]) => void, onText: (text: string) => void): boolean {
  const [dragging, setDragging] = useState(false);
  const depth = useRef(0);
  const takeText = useRef(onText);
  takeText.current = onText;
  useEffect(() => {
    const place = document.querySelector(".chat");
    if (!place) return undefined;
    const enter = (event: Event): void => {
      if (!(event as DragEvent).dataTransfer?.types.includes("Files")) return;
      event.preventDefault();
      depth.current += 1;
      setDragging(true);
    };
    const leave = (): void => {
      depth.current = Math.max(0, depth.current - 1);
      if (depth.current === 0) setDragging(false);
    };
    const over = (event: Event): void => event.preventDefault();
    const drop = (event: Event): void => {
      event.preventDefault();
      depth.current = 0;
      setDragging(false);
      const dropped = (event as DragEvent).dataTransfer;
      const text = dropped?.getData("text/plain") ?? "";
      if (dropped && dropped.files.length > 0) add([...dropped.files]);
      else if (text !== "") takeText.current(text);
    };
    const pairs = { dragenter: enter, dragleave: leave, dragover: over, drop };
    for (const [name, listener] of Object.entries(pairs)) place.addEventListener(name, listener);
    return () => {
      for (const [name, listener] of Object.entries(pairs)) place.removeEventListener(name, listener);
    };
  }, []);
  return dragging;
}

interface AttachmentsProps {
  readonly attachments: AttachmentList;
  readonly onInsert: (text: string) => void;
}

export function Attachments({ attachments, onInsert }: AttachmentsProps): VNode | null {
  if (attachments.items.length === 0) return null;
  return (
    <ul class="attachments">
      {attachments.items.map((one) => (
        <li key={one.id} class={`chip ${one.state}`}>
          {one.preview === undefined ? <Icon name="file" size={16} /> : <img src={one.preview} alt="" />}
          <span class="truncate">{one.name}</span>
          {one.state === "failed" ? (
            <span class="danger-ink" role="alert">
              {one.fault}
            </span>
          ) : (
            <span class="muted">{bytes(one.size)}</span>
          )}
          {one.state === "uploading" && (
            <progress max={1} value={one.progress ?? 0} aria-label={t("attach.progress", { name: one.name })} />
          )}
          {one.pasted !== undefined && (
            <Button
              kind="quiet"
              size="small"
              onClick={() => {
                onInsert(one.pasted ?? "");
                attachments.remove(one.id);
              }}
            >
              {t("composer.paste.text")}
            </Button>
          )}
          <Button
            kind="quiet"
            size="small"
            icon="close"
            label={t("attach.remove", { name: one.name })}
            onClick={() => attachments.remove(one.id)}
          />
        </li>
      ))}
    </ul>
  );
}
