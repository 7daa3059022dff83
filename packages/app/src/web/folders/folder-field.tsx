/** A folder of the machine that margay runs on: typed, or gone to. */
import type { ComponentChildren, VNode } from "preact";
import { useEffect, useRef, useState } from "preact/hooks";
import type { Folders } from "../../features/workspace/folder-schema.ts";
import { Loaded } from "../panel-kit/loaded.tsx";
import { useResource } from "../panel-kit/resource.ts";
import { Button } from "../ui/button.tsx";
import { Dialog } from "../ui/dialog.tsx";
import { Field, type ControlProps } from "../ui/field.tsx";
import { Icon } from "../ui/icon.tsx";
import { t } from "./texts.ts";

interface FolderFieldProps {
  readonly label: string;
  readonly hint?: ComponentChildren;
  readonly fault?: string | undefined;
  readonly value: string;
  readonly onValue: (path: string) => void;
}

export function FolderField({ label, hint, fault, value, onValue }: FolderFieldProps): VNode {
  return (
    <Field label={label} hint={hint} fault={fault}>
      {(control) => <FolderInput control={control} value={value} onValue={onValue} />}
    </Field>
  );
}

interface FolderInputProps extends Pick<FolderFieldProps, "value" | "onValue"> {
  readonly control: ControlProps;
  /** Absent: as what is typed. */
  readonly onChosen?: (path: string) => void;
}

export function FolderInput({ control, value, onValue, onChosen = onValue }: FolderInputProps): VNode {
  const [open, setOpen] = useState(false);
  return (
    <div class="row">
      <input
        {...control}
        class="input grow"
        type="text"
        spellcheck={false}
        value={value}
        onInput={(event) => onValue(event.currentTarget.value)}
      />
      <Button icon="folder" onClick={() => setOpen(true)}>
        {t("browse")}
      </Button>
      {open && <Chooser onClose={() => setOpen(false)} onChoose={onChosen} />}
    </div>
  );
}

interface ChooserProps {
  readonly onClose: () => void;
  readonly onChoose: (path: string) => void;
}

function Chooser({ onClose, onChoose }: ChooserProps): VNode {
  const [path, setPath] = useState<string | undefined>(undefined);
  const query = path === undefined ? "" : `?path=${encodeURIComponent(path)}`;
  const found = useResource<Folders>(`/workspace/folders${query}`);
  const here = found.data?.path;
  return (
    <Dialog
      title={t("title")}
      onClose={onClose}
      footer={
        <Button
          kind="primary"
          disabled={here === undefined}
          onClick={() => {
            if (here !== undefined) onChoose(here);
            onClose();
          }}
        >
          {t("take")}
        </Button>
      }
    >
      <Loaded of={found}>{(data) => <Level key={data.path} folders={data} onGo={setPath} />}</Loaded>
    </Dialog>
  );
}

interface LevelProps {
  readonly folders: Folders;
  readonly onGo: (path: string) => void;
}

/** Whoever goes into a folder goes on from its first line. */
function Level({ folders, onGo }: LevelProps): VNode {
  const { path, parent, folders: names, more } = folders;
  const list = useRef<HTMLUListElement>(null);
  useEffect(() => list.current?.querySelector("button")?.focus(), []);
  const below = (name: string): string => `${path === "/" ? "" : path}/${name}`;
  return (
    <div class="stack">
      <p role="status">
        <code>{path}</code> {names.length === 0 && <span class="muted">{t("none")}</span>}
      </p>
      <ul ref={list} class="folder-list" aria-label={t("inside", { path })}>
        {parent !== undefined && (
          <li>
            <button type="button" class="menu-item" onClick={() => onGo(parent)}>
              <Icon name="arrowUp" size={16} /> {t("up")}
            </button>
          </li>
        )}
        {names.map((name) => (
          <li key={name}>
            <button type="button" class="menu-item" onClick={() => onGo(below(name))}>
              <Icon name="folder" size={16} /> {name}
            </button>
          </li>
        ))}
      </ul>
      {more && <p class="muted small">{t("more")}</p>}
    </div>
  );
}
