/** `/` at the beginning lists commands, `$` skills, `@` files of the workspace; arrow keys choose, Esc closes. */
import type { VNode } from "preact";
import { useEffect, useState } from "preact/hooks";
import { api } from "../../api.ts";
import { may } from "../../auth.ts";
import { t } from "../../texts/work.ts";
import { fuzzyScore } from "../../lib/fuzzy.ts";
import { Icon, type IconName } from "../../ui/icon.tsx";
import { commandsOffered, commandTexts } from "./command-texts.ts";
import { selectPlace } from "./places.ts";

interface Choice {
  readonly label: string;
  readonly note: string;
  /** What takes the place of the word. */
  readonly insert: string;
  /** It has places to fill in. */
  readonly preset?: true;
}

type Kind = "commands" | "files" | "skills";
const ICONS: Readonly<Record<Kind, IconName>> = { commands: "bolt", files: "file", skills: "spark" };
const SHOWN = 8;
const NOTE_CHARS = 120;

export interface OpenMenu {
  readonly kind: Kind | undefined;
  readonly choices: readonly Choice[];
  readonly at: number;
  readonly fieldProps: Readonly<Record<string, string | boolean>>;
  /** @returns whether the key was for the menu. */
  onKey(event: KeyboardEvent): boolean;
  choose(at: number): void;
}

interface FieldRef {
  readonly current: HTMLTextAreaElement | null;
}

export function useCommandMenu(text: string, field: FieldRef, change: (text: string) => void): OpenMenu {
  const [at, setAt] = useState(0);
  const [closedFor, setClosedFor] = useState<string>();
  /** A prompt was chosen whose places are gone through by Tab. */
  const [filling, setFilling] = useState(false);
  const [lists, setLists] = useState<Partial<Record<Kind, readonly Choice[]>>>({});
  const word = wordBefore(text, field.current?.selectionStart ?? text.length);
  const kind = word === undefined || closedFor === text ? undefined : kindOf(word, text);
  useEffect(() => {
    if (kind === undefined || (lists[kind] !== undefined && kind !== "commands")) return;
    void listOf(kind).then(
      (choices) => setLists((all) => ({ ...all, [kind]: choices })),
      () => undefined, // without the list there is no menu; the text can be typed
    );
  }, [kind]);
  useEffect(() => setAt(0), [word]);
  const query = (word ?? "").slice(1);
  const choices = (kind === undefined ? [] : (lists[kind] ?? []))
    .flatMap((choice) => {
      const score = fuzzyScore(query, choice.label);
      return score === undefined ? [] : [{ choice, score }];
    })
    .sort((a, b) => b.score - a.score)
    .slice(0, SHOWN)
    .map(({ choice }) => choice);
  const choose = (index: number): void => {
    const choice = choices[index];
    if (choice === undefined || word === undefined) return;
    const end = field.current?.selectionStart ?? text.length;
    const next = text.slice(0, end - word.length) + choice.insert + text.slice(end);
    change(next);
    setClosedFor(next);
    field.current?.focus();
    if (choice.preset !== true) return;
    setFilling(true);
    requestAnimationFrame(() => selectPlace(field.current, end - word.length)); // when the text stands there
  };
  const open = kind !== undefined && choices.length > 0;
  return {
    kind: open ? kind : undefined,
    choices,
    at,
    fieldProps: open
      ? {
          role: "combobox",
          "aria-expanded": true,
          "aria-controls": "command-menu",
          "aria-activedescendant": `command-${String(at)}`,
        }
      : {},
    choose,
    onKey: (event) => {
      if (!open) {
        const isNext = filling && event.key === "Tab" && !event.shiftKey;
        if (!isNext || !selectPlace(field.current, field.current?.selectionEnd ?? 0)) {
          if (isNext) setFilling(false); // the next Tab leaves the field
          return false;
        }
        event.preventDefault();
        return true;
      }
      if (event.key === "ArrowDown") setAt((at + 1) % choices.length);
      else if (event.key === "ArrowUp") setAt((at - 1 + choices.length) % choices.length);
      else if (event.key === "Escape") setClosedFor(text);
      else if (event.key === "Tab" || (event.key === "Enter" && choices[at]?.insert.trim() !== word)) choose(at);
      else return false;
      event.preventDefault();
      event.stopPropagation();
      return true;
    },
  };
}

export function CommandMenu({ menu }: { menu: OpenMenu }): VNode | null {
  const { kind, choices, at, choose } = menu;
  if (kind === undefined) return null;
  return (
    <div class="command-menu" id="command-menu" role="listbox" aria-label={t(`composer.${kind}`)}>
      {choices.map((choice, index) => (
        <div
          key={choice.label}
          id={`command-${String(index)}`}
          class="menu-item"
          role="option"
          aria-selected={index === at}
          onMouseDown={(event) => {
            event.preventDefault(); // the field keeps the focus
            choose(index);
          }}
        >
          <Icon name={ICONS[kind]} size={16} />
          <span>{choice.label}</span>
          <span class="note truncate grow">{choice.note}</span>
        </div>
      ))}
    </div>
  );
}

function wordBefore(text: string, position: number): string | undefined {
  return /(?:^|\s)([/@$][^\s]*)$/.exec(text.slice(0, position))?.[1];
}

function kindOf(word: string, text: string): Kind | undefined {
  if (word.startsWith("/")) return text.startsWith(word) ? "commands" : undefined;
  if (word.startsWith("@")) return may("listWorkspace") ? "files" : undefined;
  return may("listSkills") ? "skills" : undefined;
}

async function listOf(kind: Kind): Promise<readonly Choice[]> {
  switch (kind) {
    case "commands": {
      const commands = commandsOffered().map((name) => ({
        label: `/${name}`,
        note: commandTexts(`command.${name}`),
        insert: `/${name} `,
      }));
      const { body } = await api.get<Listed<{ name: string; text: string }>>("/presets").catch(() => ({ body: [] }));
      const presets = rowsOf(body).map(({ name, text }) => ({
        ...{ label: `/${name}`, note: text.slice(0, NOTE_CHARS), insert: text },
        preset: true as const,
      }));
      return [...commands, ...presets];
    }
    case "skills": {
      const { body } = await api.get<Listed<{ name: string; description: string }>>("/skills");
      return rowsOf(body).map(({ name, description }) => ({
        label: `$${name}`,
        note: description,
        insert: `/skill ${name} `,
      }));
    }
    case "files": {
      const { body } = await api.get<Listed<{ name: string; path?: string }>>("/workspace/tree");
      return rowsOf(body).map(({ name, path }) => ({
        label: `@${path ?? name}`,
        note: "",
        insert: `${path ?? name} `,
      }));
    }
  }
}

type Listed<Row> = readonly Row[] | { readonly items?: readonly Row[]; readonly entries?: readonly Row[] };

function rowsOf<Row>(body: Listed<Row>): readonly Row[] {
  if (isRows(body)) return body;
  return body.items ?? body.entries ?? [];
}

function isRows<Row>(body: Listed<Row>): body is readonly Row[] {
  return Array.isArray(body);
}
