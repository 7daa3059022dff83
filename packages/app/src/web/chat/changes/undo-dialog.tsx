/** A turn's changes to files, taken back or kept: the list first, and the files of others only when told so. */
import type { VNode } from "preact";
import { useEffect, useState } from "preact/hooks";
import type { Labels, TrustAnswer } from "../../../features/labels/schema.ts";
import type { UndoAnswer } from "../../../features/undo/schema.ts";
import { api } from "../../api.ts";
import { t as shared } from "../../texts/index.ts";
import { t, whyText } from "./undo-texts.ts";
import { Button } from "../../ui/button.tsx";
import { Dialog } from "../../ui/dialog.tsx";
import { Check } from "../../ui/field.tsx";
import { tell } from "../../ui/tell.ts";
import { toast, undoable } from "../../ui/toast.tsx";

type Preview = UndoAnswer["preview"];
type File = Preview["files"][number];
type Label = Labels["items"][number];

interface DialogProps {
  /** Of the route. */
  readonly path: string;
  readonly preview: Preview;
  readonly onClose: () => void;
}

export function UndoDialog({ path, preview, onClose }: DialogProps): VNode {
  const [force, setForce] = useState(false);
  const [keeps, setKeeps] = useState(false);
  const labels = useLabels(preview);
  const { files, excluded, gaps, turn } = preview;
  if (keeps) return <TrustDialog labels={labels} onClose={onClose} />;
  const isChosen = ({ problem, forceable }: File): boolean => problem === undefined || (force && forceable === true);
  const count = files.filter(isChosen).length;
  const go = (): void => {
    onClose();
    void tell(undo(path, turn, force));
  };
  return (
    <Dialog
      title={t("title")}
      onClose={onClose}
      footer={
        <>
          <Button onClick={onClose}>{shared("common.cancel")}</Button>
          {labels.length > 0 && <Button onClick={() => setKeeps(true)}>{t("trust.ask")}</Button>}
          {count > 0 && (
            <Button kind="primary" onClick={go}>
              {t("go", { n: count })}
            </Button>
          )}
        </>
      }
    >
      <div class="stack">
        {files.length === 0 && <p>{t("same")}</p>}
        <ul class="plain-list">
          {files.map((file) => (
            <li key={file.path}>
              <Path text={`${file.path}${file.kind === "directory" ? "/" : ""}`} />{" "}
              {file.starts === true && <span class="badge warn">{t("starts")}</span>}{" "}
              <span class="muted">
                {isChosen(file) ? chosenText(file) : t("left", { why: whyText(file.problem ?? "") })}
              </span>
            </li>
          ))}
        </ul>
        {files.some(({ forceable }) => forceable === true) && (
          <Check label={t("force")} checked={force} onChecked={setForce} />
        )}
        {excluded.length > 0 && <p class="muted small">{t("excluded", { names: excluded.join(", ") })}</p>}
        {gaps.map(({ gap, text }) => (
          <p class="muted small" key={gap + text}>
            {t(`gap.${gap}`, { text })}
          </p>
        ))}
      </div>
    </Dialog>
  );
}

function chosenText({ action, final }: File): string {
  return final === true ? `${t(action)} (${t("final")})` : t(action);
}

async function undo(path: string, turn: string, force: boolean): Promise<void> {
  const { body } = await api.post<UndoAnswer>(path, { turn, force });
  const { id = "", restored = [] } = body.done ?? {};
  const failed = restored.filter((file) => file.failed !== undefined).map((file) => file.path);
  if (failed.length > 0) toast(t("failed", { n: failed.length, paths: failed.join(", ") }));
  const count = restored.length - failed.length;
  if (count > 0) undoable(t("done", { n: count }), () => void tell(api.post(path, { turn: id })));
}

/** Those of the turn's files that count as strangers' text, and repositories of which nobody said whose they are. */
function useLabels({ files }: Preview): readonly Label[] {
  const [labels, setLabels] = useState<readonly Label[]>([]);
  useEffect(() => {
    const load = async (): Promise<void> => {
      const { body } = await api.get<Labels>("/workspace/labels");
      setLabels(
        body.items.filter((label) => label.origin !== undefined || files.some(({ path }) => isAbout(label, path))),
      );
    };
    void tell(load());
  }, []);
  return labels;
}

function isAbout({ path }: Label, file: string): boolean {
  return path === file || path === "./" || (path.endsWith("/") && `${file}/`.startsWith(path));
}

/** Vouches for what it shows: for a file that changed meanwhile nobody does. */
function TrustDialog({ labels: shown, onClose }: { labels: readonly Label[]; onClose: () => void }): VNode {
  const [asked, setAsked] = useState(() => shown.filter(({ origin }) => origin !== undefined));
  const labels = shown.filter(({ origin }) => origin === undefined);
  const answer = (label: Label, isOwn: boolean): void => {
    setAsked((before) => before.filter(({ path }) => path !== label.path));
    void tell(isOwn ? trust([label]) : api.post<TrustAnswer>("/workspace/labels/disown", [label.path]));
  };
  const go = (): void => {
    onClose();
    void tell(trust(labels));
  };
  return (
    <Dialog
      title={t("trust.title")}
      onClose={onClose}
      footer={
        <>
          <Button onClick={onClose}>{shared("common.cancel")}</Button>
          {labels.length > 0 && (
            <Button kind="primary" onClick={go}>
              {t("trust.go", { n: labels.length })}
            </Button>
          )}
        </>
      }
    >
      <div class="stack">
        <p>{t("trust.about")}</p>
        <ul class="plain-list">
          {asked.map((label) => (
            <li key={label.path}>
              <Path text={label.path} /> <span class="muted">{t("trust.origin", { origin: label.origin ?? "" })}</span>{" "}
              <Button onClick={() => answer(label, true)}>{t("trust.yours")}</Button>{" "}
              <Button onClick={() => answer(label, false)}>{t("trust.stranger")}</Button>
            </li>
          ))}
          {labels.map(({ path, cause }) => (
            <li key={path}>
              <Path text={path} /> <span class="muted">{cause}</span>
            </li>
          ))}
        </ul>
      </div>
    </Dialog>
  );
}

async function trust(labels: readonly Label[]): Promise<void> {
  const shown = labels.map(({ path, sha256 }) => ({ path, ...(sha256 !== undefined && { sha256 }) }));
  const { body } = await api.post<TrustAnswer>("/workspace/labels/trust", shown);
  const left = body.items.filter(({ status }) => status !== "endorsed").map(({ path }) => path);
  if (left.length > 0) toast(t("trust.left", { n: left.length, paths: left.join(", ") }));
  const count = body.items.length - left.length;
  if (count > 0) toast(t("trust.done", { n: count }));
}

function Path({ text }: { text: string }): VNode {
  return (
    <code>
      <bdi>{text}</bdi>
    </code>
  );
}
