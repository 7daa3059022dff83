/** The workspace, to look at: folders, and the text of a file. */
import { useEffect, useState } from "preact/hooks";
import type { z } from "zod";
import type { TreeSchema } from "../../../protocol/media.ts";
import { fetchBlob } from "../../../web/api.ts";
import { t } from "../../../web/texts/panels-work.ts";
import { saveBlob } from "../../../web/lib/save-blob.ts";
import { Icon } from "../../../web/ui/icon.tsx";
import { Skeleton } from "../../../web/ui/states.tsx";
import { Act, Outcome, useAct } from "../../../web/panel-kit/act.tsx";
import { toProblem, type Problem } from "../../../web/panel-kit/api.ts";
import { bytes, relative } from "../../../web/panel-kit/format.ts";
import { PanelLink } from "../../../web/panel-kit/go.tsx";
import { Empty, Loaded } from "../../../web/panel-kit/loaded.tsx";
import type { PanelProps } from "../../../web/panel-kit/panel.ts";
import { ProblemNote } from "../../../web/panel-kit/problem-note.tsx";
import { useResource } from "../../../web/panel-kit/resource.ts";

type Tree = z.infer<typeof TreeSchema>;

const MAX_SHOWN = 500_000;

export function FilesPage({ rest = "" }: PanelProps) {
  const path = rest.split("/").map(decodeURIComponent).join("/");
  const parent = path.slice(0, Math.max(0, path.lastIndexOf("/")));
  const name = path.slice(path.lastIndexOf("/") + 1);
  const beside = useResource<Tree>(path === "" ? undefined : `/workspace/tree?path=${encodeURIComponent(parent)}`);
  const entry = beside.data?.entries.find((one) => one.name === name);
  // A file has no tree: what it is says the folder that it lies in.
  const isFolder = path === "" || (beside.data !== undefined && entry?.kind !== "file");
  const folder = useResource<Tree>(isFolder ? `/workspace/tree?path=${encodeURIComponent(path)}` : undefined);
  return (
    <div class="stack">
      <p class="muted">{t("filesWhy")}</p>
      <Crumbs path={path} />
      {entry?.kind === "file" ? (
        <FileView path={path} size={entry.bytes ?? 0} />
      ) : (
        <Loaded of={isFolder ? folder : beside}>{(tree) => <Folder tree={tree} />}</Loaded>
      )}
    </div>
  );
}

function Crumbs({ path }: { readonly path: string }) {
  const parts = path === "" ? [] : path.split("/");
  return (
    <nav class="p-row" aria-label={t("workspace")}>
      <PanelLink to="files">{t("workspace")}</PanelLink>
      {parts.map((part, index) => (
        <span key={index}>
          {"/ "}
          <PanelLink to={`files/${parts.slice(0, index + 1).join("/")}`}>{part}</PanelLink>
        </span>
      ))}
    </nav>
  );
}

function Folder({ tree }: { readonly tree: Tree }) {
  if (tree.entries.length === 0) return <Empty>{t("emptyFolder")}</Empty>;
  return (
    <ul class="p-cards">
      {tree.entries.map((entry) => (
        <li key={entry.name} class="p-row p-line">
          <Icon name={entry.kind === "directory" ? "folder" : "file"} />
          <span class="grow">
            <PanelLink to={`files/${tree.path === "" ? "" : `${tree.path}/`}${entry.name}`}>{entry.name}</PanelLink>
          </span>
          <span class="p-faint">{entry.bytes !== undefined && bytes(entry.bytes)}</span>
          <span class="p-faint">{relative(entry.modifiedAt)}</span>
        </li>
      ))}
    </ul>
  );
}

type Shown = { readonly text: string } | { readonly why: "tooLarge" | "binary" } | { readonly problem: Problem };

function FileView({ path, size }: { readonly path: string; readonly size: number }) {
  const [shown, setShown] = useState<Shown | undefined>(undefined);
  const acting = useAct();
  const address = `/workspace/content?path=${encodeURIComponent(path)}`;
  useEffect(() => {
    let current = true;
    const load = async (): Promise<Shown> => {
      if (size > MAX_SHOWN) return { why: "tooLarge" };
      try {
        const data = new Uint8Array(await (await fetchBlob(address)).arrayBuffer());
        return data.includes(0) ? { why: "binary" } : { text: new TextDecoder().decode(data) };
      } catch (error) {
        return { problem: toProblem(error) };
      }
    };
    void load().then((found) => current && setShown(found));
    return () => {
      current = false;
    };
  }, [address, size]);
  const save = async (): Promise<void> => saveBlob(await fetchBlob(address), path.slice(path.lastIndexOf("/") + 1));
  return (
    <div class="stack">
      <div class="p-row">
        <span class="grow p-faint">{bytes(size)}</span>
        <Act acting={acting} work={save} icon="download" size="small">
          {t("download")}
        </Act>
      </div>
      <Outcome of={acting} />
      {shown === undefined && <Skeleton />}
      {shown !== undefined && "text" in shown && (
        <pre class="p-code" tabIndex={0}>
          {shown.text}
        </pre>
      )}
      {shown !== undefined && "why" in shown && <p class="muted">{t(shown.why)}</p>}
      {shown !== undefined && "problem" in shown && <ProblemNote problem={shown.problem} />}
    </div>
  );
}
