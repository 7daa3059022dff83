/** What the model made, to look at beside the chat: a file of the workspace, or a block of an answer. */
import type { VNode } from "preact";
import { useEffect, useState } from "preact/hooks";
import { fetchBlob } from "../api.ts";
import { route } from "../lib/route.ts";
import { saveBlob } from "../lib/save-blob.ts";
import { Code } from "../markdown/code.tsx";
import { Markdown } from "../markdown/markdown.tsx";
import { chatOf } from "../store/sessions.ts";
import { bytes } from "../texts/format.ts";
import { Button } from "../ui/button.tsx";
import { CopyButton } from "../ui/copy-button.tsx";
import { Icon } from "../ui/icon.tsx";
import { ProblemBox } from "../ui/problem.tsx";
import { Empty, Skeleton } from "../ui/states.tsx";
import { tell } from "../ui/tell.ts";
import { blockOf } from "./block.ts";
import { CsvTable } from "./csv.tsx";
import { Frame, type Fault } from "./frame.tsx";
import { IMAGE_TYPES, kindOf, type Kind } from "./kinds.ts";
import { t } from "./texts.ts";
import { versionOf } from "./written-files.ts";
import "./preview.css";

const MAX_SHOWN_BYTES = 2_000_000;

export function PreviewPage(): VNode {
  const [, from, ...rest] = (route.value.panel ?? "").split("/");
  if (from === "file" && rest.length > 0) return <FilePreview key={rest.join("/")} path={rest.join("/")} />;
  if (from === "block" && rest[0] !== undefined) return <BlockPreview key={rest[0]} id={rest[0]} />;
  return <Empty icon="file">{t("none")}</Empty>;
}

function BlockPreview({ id }: { readonly id: string }): VNode {
  const { session } = route.value;
  const chat = session === undefined ? undefined : chatOf(session);
  const block = blockOf(chat, id);
  const wants = block === undefined && chat?.more.value === true;
  useEffect(() => void (wants && chat.loadAll()), [wants]);
  if (block === undefined)
    return wants || chat?.state.value.status === "loading" ? <Skeleton /> : <Empty icon="file">{t("gone")}</Empty>;
  const { language, code } = block;
  const name = `${t("block.name", { language: language.toUpperCase() })}`;
  const save = (): void => saveBlob(new Blob([code]), `preview.${language.toLowerCase()}`);
  return <Sheet name={name} kind={kindOf(language)} language={language} content={{ text: code }} onSave={save} />;
}

type Content = { readonly text: string } | { readonly url: string } | { readonly why: string };

function FilePreview({ path }: { readonly path: string }): VNode {
  const { session } = route.value;
  const chat = session === undefined ? undefined : chatOf(session);
  const { version, isWriting } = versionOf(chat?.items.value ?? [], chat?.live.overlay.value?.calls ?? [], path);
  const [content, setContent] = useState<Content>();
  const [fault, setFault] = useState<unknown>();
  const [tries, setTries] = useState(0);
  const name = path.slice(path.lastIndexOf("/") + 1);
  const address = `/workspace/content?path=${encodeURIComponent(path)}`;
  useEffect(() => {
    const abort = new AbortController();
    let url: string | undefined;
    const read = async (): Promise<void> => {
      const next = contentOf(await fetchBlob(address, { signal: abort.signal }), name);
      const made = await next;
      if ("url" in made) ({ url } = made);
      if (abort.signal.aborted) return;
      setFault(undefined);
      setContent(made);
    };
    read().catch((error: unknown) => abort.signal.aborted || setFault(error));
    return () => {
      abort.abort();
      if (url !== undefined) URL.revokeObjectURL(url);
    };
  }, [address, version, tries]);
  const note =
    version === 0 && !isWriting
      ? undefined
      : isWriting
        ? t("version.next", { n: version, next: version + 1 })
        : t("version", { n: version });
  const save = (): void => void tell(fetchBlob(address).then((blob) => saveBlob(blob, name)));
  if (fault !== undefined) return <ProblemBox error={fault} onRetry={() => setTries(tries + 1)} />;
  if (content === undefined) return <Skeleton />;
  return (
    <Sheet
      name={path}
      note={note}
      kind={kindOf(name)}
      language={name.slice(name.lastIndexOf(".") + 1)}
      content={content}
      onSave={save}
    />
  );
}

async function contentOf(blob: Blob, name: string): Promise<Content> {
  const kind = kindOf(name);
  if (blob.size > MAX_SHOWN_BYTES && kind !== "image")
    return { why: t("too-large", { size: bytes(blob.size), most: bytes(MAX_SHOWN_BYTES) }) };
  const type = IMAGE_TYPES[name.slice(name.lastIndexOf(".") + 1).toLowerCase()];
  if (type !== undefined) return { url: URL.createObjectURL(new Blob([blob], { type })) };
  const data = new Uint8Array(await blob.arrayBuffer());
  if (data.includes(0)) return { why: t("binary") };
  return data.length === 0 ? { why: t("empty") } : { text: new TextDecoder().decode(data) };
}

interface SheetProps {
  readonly name: string;
  readonly note?: string | undefined;
  readonly kind: Kind;
  readonly language: string;
  readonly content: Content;
  readonly onSave: () => void;
}

function Sheet({ name, note, kind, language, content, onSave }: SheetProps): VNode {
  const [asCode, setAsCode] = useState(false);
  const [fault, setFault] = useState<Fault>();
  const text = "text" in content ? content.text : undefined;
  useEffect(() => setFault(undefined), [text]);
  const isStopped = fault !== undefined && fault.kind !== "script";
  const hasBoth = text !== undefined && kind !== "text";
  return (
    <div class="preview">
      <div class="preview-head">
        <div class="grow">
          <div class="truncate" dir="auto" title={name}>
            {name}
          </div>
          {note !== undefined && (
            <div class="muted small" role="status">
              {note}
            </div>
          )}
        </div>
        {hasBoth && <Look asCode={asCode || isStopped} onChange={setAsCode} />}
      </div>
      {fault !== undefined && (
        <div class="note-box" role="status">
          <Icon name="alert" size={16} />
          <div class="grow">
            {fault.kind === "script" ? t("fault.script", { text: fault.text }) : t(`fault.${fault.kind}`)}
          </div>
          {isStopped && (
            <Button size="small" onClick={() => setFault(undefined)}>
              {t("again")}
            </Button>
          )}
        </div>
      )}
      {"why" in content && <Empty icon="file">{content.why}</Empty>}
      {"url" in content && <img class="preview-image" src={content.url} alt={name} />}
      {text !== undefined &&
        (asCode || isStopped || kind === "text" ? (
          <Code code={text} language={language} open={false} />
        ) : (
          <Drawn kind={kind} text={text} name={name} onFault={setFault} />
        ))}
      <div class="preview-foot muted small">
        {hasBoth && <Icon name="shield" size={15} />}
        <span class="grow">{hasBoth && t(kind === "html" || kind === "svg" ? "sandboxed" : "as-data")}</span>
        {text !== undefined && <CopyButton label={t("copy")} text={() => text} />}
        <Button kind="quiet" icon="download" label={t("download")} onClick={onSave} />
      </div>
    </div>
  );
}

function Look({ asCode, onChange }: { readonly asCode: boolean; readonly onChange: (asCode: boolean) => void }): VNode {
  return (
    <div class="preview-look" role="group" aria-label={t("look")}>
      <button type="button" aria-pressed={!asCode} onClick={() => onChange(false)}>
        {t("preview")}
      </button>
      <button type="button" aria-pressed={asCode} onClick={() => onChange(true)}>
        {t("code")}
      </button>
    </div>
  );
}

interface DrawnProps {
  readonly kind: Kind;
  readonly text: string;
  readonly name: string;
  readonly onFault: (fault: Fault) => void;
}

/** What acts is in the frame; what is only data is drawn by this page. */
function Drawn({ kind, text, name, onFault }: DrawnProps): VNode {
  switch (kind) {
    case "html":
      return <Frame html={text} title={name} onFault={onFault} />;
    case "svg":
      return <Frame html={PICTURE + text} title={name} onFault={onFault} />;
    case "csv":
    case "tsv":
      return <CsvTable text={text} tab={kind === "tsv"} />;
    case "markdown":
    case "image":
    case "text":
      return (
        <div class="preview-text">
          <Markdown text={text} />
        </div>
      );
  }
}

const PICTURE =
  "<!doctype html><meta charset=utf-8><style>body{margin:0;min-height:100vh;display:grid;place-items:center;background:#fff}svg{max-width:100%;height:auto}</style>";
