/** One setting: its name, one sentence, a control, and the way back to its default. It is saved as soon as it is changed. */
import type { ComponentChildren } from "preact";
import { useEffect, useState } from "preact/hooks";
import { t as common } from "../../../web/texts/index.ts";
import { c } from "../../../web/texts/panels-common.ts";
import { Button } from "../../../web/ui/button.tsx";
import { isGroup } from "../../../web/ui/schema-form.tsx";
import { secretState, secretVariable } from "../../../web/ui/form-secret.tsx";
import { useDraft } from "../../../web/panel-kit/draft.ts";
import { PanelLink } from "../../../web/panel-kit/go.tsx";
import { useOffline } from "../../../web/panel-kit/offline.ts";
import { brief, type Entry } from "./model.ts";
import { isWritten, SettingControl } from "./setting-control.tsx";
import type { Saving } from "./saving.ts";
import { OWN_PAGES } from "./tasks.ts";
import { noneOf, SOURCE, SOURCE_WHY, t, valueWord } from "./texts.ts";

interface Props {
  readonly entry: Entry;
  readonly saving: Saving;
  /** Shows the key, where its value comes from, and when a change holds. */
  readonly details: boolean;
}

export function SettingRow({ entry, saving, details }: Props) {
  const id = `setting-${entry.path}`;
  const edit = useEdit(entry, saving);
  const variable = secretVariable(secretState(entry.value));
  const page = OWN_PAGES[entry.path];
  const described = [`${id}-help`, edit.fault !== undefined && `${id}-fault`].filter(Boolean).join(" ");
  const written = isWritten(entry);
  return (
    <div
      class="set-row"
      data-path={entry.path}
      data-edited={edit.isEdited}
      role="group"
      aria-labelledby={`${id}-name`}
      onFocusOut={(event) => {
        if (!written && !(event.relatedTarget instanceof Node && event.currentTarget.contains(event.relatedTarget)))
          edit.commit();
      }}
      onKeyDown={(event) => {
        if (!written && event.key === "Enter" && !event.isComposing && isField(event.target)) edit.commit();
      }}
    >
      <div class="set-words">
        {isGroup(entry.field.shape) ? (
          <strong id={`${id}-name`}>{entry.title}</strong>
        ) : (
          <label id={`${id}-name`} for={id}>
            {entry.title}
          </label>
        )}
        <span id={`${id}-help`} class="p-help">
          {inWords(entry.help)}
        </span>
        {edit.fault !== undefined && (
          <span id={`${id}-fault`} class="p-error" role="alert">
            {edit.fault} {t("notSaved")}
          </span>
        )}
        {entry.locked && <span class="p-help">{t("locked")}</span>}
        {variable !== undefined && <span class="p-help">{t("lockedEnv", { name: variable })}</span>}
        {details && <Details entry={entry} />}
      </div>
      <div class="set-control">
        {page === undefined ? (
          <SettingControl
            entry={entry}
            value={edit.value}
            id={id}
            describedBy={described}
            invalid={edit.fault !== undefined}
            onChange={edit.change}
            onChosen={edit.commit}
          />
        ) : (
          <PanelLink to={page}>{t("onPage", { page: common(`nav.${page}`) })}</PanelLink>
        )}
        {written && edit.isEdited && (
          <div class="p-row">
            <Button size="small" kind="primary" disabled={edit.busy} onClick={edit.commit}>
              {c("save")}
            </Button>
            <Button size="small" kind="quiet" onClick={edit.drop}>
              {c("discard")}
            </Button>
          </div>
        )}
      </div>
      <div class="set-back">
        <Back id={id} entry={entry} busy={edit.busy} reset={edit.reset} />
      </div>
    </div>
  );
}

/** A field that is typed into: Enter on a switch or in a dialog is theirs. */
function isField(target: EventTarget | null): boolean {
  return target instanceof HTMLInputElement && ["text", "number", "url", "email", "search"].includes(target.type);
}

interface Edit {
  readonly value: unknown;
  readonly isEdited: boolean;
  readonly fault: string | undefined;
  readonly busy: boolean;
  readonly change: (value: unknown) => void;
  /** @param value Of a control whose choice is whole; else what was typed. */
  readonly commit: (value?: unknown) => void;
  readonly drop: () => void;
  readonly reset: () => void;
}

/** What is typed outlives the page; it is checked while it is typed, and goes when it is saved. */
function useEdit(entry: Entry, saving: Saving): Edit {
  const draft = useDraft<{ readonly value: unknown }>(`settings/${entry.path}`, { value: entry.value }, "");
  const [fault, setFault] = useState<string | undefined>(undefined);
  const [busy, setBusy] = useState(false);
  const offline = useOffline();
  const isEdited = draft.state !== "saved";
  const { value } = draft.value;
  const text = JSON.stringify(value);
  useEffect(() => {
    setFault(undefined);
    if (!isEdited) return undefined;
    let current = true;
    const timer = setTimeout(() => {
      void saving.check(entry, value ?? null).then((found) => current && setFault(found));
    }, CHECK_MS);
    return () => {
      current = false;
      clearTimeout(timer);
    };
  }, [text, isEdited]);
  const put = async (next: unknown): Promise<void> => {
    if (offline) return setFault(c("offlineShort"));
    setBusy(true);
    const failed = await saving.save(entry, next);
    setBusy(false);
    setFault(failed);
    if (failed === undefined) draft.discard();
  };
  return {
    value,
    isEdited,
    fault,
    busy,
    change: (next) => draft.change({ value: next ?? null }),
    commit: (next) => {
      const whole = next === undefined ? value : next;
      if (busy || JSON.stringify(whole) === JSON.stringify(entry.value)) return;
      if (next !== undefined) draft.change({ value: next });
      else if (!isEdited) return;
      void put(whole ?? null);
    },
    drop: draft.discard,
    reset: () => void put(null),
  };
}

const CHECK_MS = 250;

interface BackProps {
  /** Of the row. */
  readonly id: string;
  readonly entry: Entry;
  readonly busy: boolean;
  readonly reset: () => void;
}

/** The default, or the way to it. */
function Back({ id, entry, busy, reset }: BackProps) {
  if (entry.source === "default") return <span class="p-faint">{t("source_default")}</span>;
  if (entry.source !== "file")
    return (
      <span class="badge" title={t(SOURCE_WHY[entry.source], { name: entry.name ?? "" })}>
        {t(SOURCE[entry.source])}
        {entry.name !== undefined && `: ${entry.name}`}
      </span>
    );
  const to = backTo(entry);
  const short = to.length > 0 && to.length <= 24;
  return (
    <button
      type="button"
      class="p-link set-reset"
      disabled={busy}
      id={`${id}-back`}
      aria-labelledby={`${id}-back ${id}-name`}
      onClick={reset}
    >
      {short ? t("resetTo", { value: to }) : t("reset")}
    </button>
  );
}

/** In words, as far as they are few. */
function backTo({ secret, path, default: given }: Entry): string {
  if (secret || given === undefined) return "";
  if (typeof given === "boolean") return c(given ? "on" : "off");
  return given === null ? noneOf(path) : typeof given === "string" ? valueWord(path, given) : brief(given);
}

function Details({ entry }: { readonly entry: Entry }) {
  return (
    <span class="set-details">
      <code>{entry.path}</code>
      {!entry.secret && (
        <>
          {" = "}
          <code>{brief(entry.value)}</code>
        </>
      )}
      {" · "}
      <span title={t(SOURCE_WHY[entry.source], { name: entry.name ?? "" })}>
        {t(SOURCE[entry.source])}
        {entry.name !== undefined && `: ${entry.name}`}
      </span>
      {" · "}
      {entry.restart ? c("restartNeeded") : c("nextTurn")}
      {entry.safety && <span title={t("needsProofWhy")}> · {t("needsProof")}</span>}
      {" · "}
      {inWords(t("takes", { what: entry.takes }))}
    </span>
  );
}

/** Files and commands write `null`, here a switch is off; what stands in backticks is written as it is. */
function inWords(text: string): ComponentChildren {
  const parts = text.replaceAll(/\bnull\b/g, t("empty")).split("`");
  return parts.map((part, index) => (index % 2 === 1 ? <code key={index}>{part}</code> : part));
}
