/** The line that is typed into, what stands in its place until it is chosen from, and the editor of a waiting message. */
import type { Component, SelectItem, SelectList } from "@earendil-works/pi-tui";
import { searchList } from "../input/search.ts";
import { secretField } from "../input/secret.ts";
import { wrap, type Kit } from "./kit.ts";

type Tui = InstanceType<Kit["pi"]["TuiMainScreen"]>;
type Editor = InstanceType<Kit["pi"]["Editor"]>;

export interface Line {
  /** For up and down. */
  remember(text: string): void;
  clearInput(): void;
  /** What stands in the editor, pastes written out. */
  input(): string;
  setInput(text: string): void;
  /** Where the cursor stands. */
  insert(text: string): void;
  /** A line to search with over the texts, in place of the editor. @returns undefined when it was closed. */
  search(title: string, texts: readonly string[]): Promise<string | undefined>;
  /** A list in place of the editor. @returns undefined when it was closed. */
  choose(title: string, items: readonly SelectItem[]): Promise<string | undefined>;
  /** A line that shows nothing of what is typed. @returns undefined when it was closed. */
  secret(title: string): Promise<string | undefined>;
  /** The keys go to a waiting message; undefined: to the line again. */
  editQueue(text: string | undefined): void;
  /** What stands in that message now. */
  queueInput(): string;
}

interface LineOptions {
  /** Enter in a waiting message: what stands in it then. */
  readonly keep: (text: string) => void;
  readonly isHidden: () => boolean;
}

const VISIBLE_CHOICES = 8;

export function createLine(
  tui: Tui,
  editor: Editor,
  kit: Kit,
  { keep, isHidden }: LineOptions,
): {
  readonly component: Component;
  /** Lines of the waiting message that is edited. */
  readonly edited: (width: number) => readonly string[];
  readonly choosing: () => boolean;
  readonly focus: () => void;
  readonly parts: Line;
} {
  const { pi, style } = kit;
  const field = prompted(editor, isHidden, kit);
  const component = new pi.Container();
  component.addChild(field);
  const queued = new pi.Editor(tui, style.editor);
  queued.onSubmit = keep;
  let choosing = false;
  const show = (shown: readonly Component[], focused: Component): void => {
    component.clear();
    for (const part of shown) component.addChild(part);
    tui.setFocus(focused);
    tui.requestRender();
  };
  const instead = async <Chosen>(parts: readonly Component[], focus: Component, chosen: Promise<Chosen>) => {
    choosing = true;
    show(parts, focus);
    const result = await chosen;
    choosing = false;
    show([field], editor);
    return result;
  };
  const changed = (change: () => void): void => {
    change();
    tui.requestRender();
  };
  return {
    component,
    choosing: () => choosing,
    focus: () => tui.setFocus(editor),
    edited: (width) => queued.render(width).slice(1, -1), // without its rules
    parts: {
      remember: (text) => editor.addToHistory(text),
      clearInput: () => editor.setText(""),
      input: () => editor.getExpandedText(),
      setInput: (text) => changed(() => editor.setText(text)),
      insert: (text) => changed(() => editor.insertTextAtCursor(text)),
      choose: (title, items) => {
        const list = new pi.SelectList([...items], VISIBLE_CHOICES, style.list);
        const head = { render: (width: number) => [...wrap(style.bold(title), width, kit)], invalidate() {} };
        return instead([head, list], list, choiceOf(list));
      },
      search: (title, texts) => {
        const { component: list, chosen } = searchList(title, texts, kit);
        return instead([list], list, chosen);
      },
      secret: (title) => {
        const { component: hidden, typed } = secretField(title, kit);
        return instead([hidden], hidden, typed);
      },
      editQueue: (text) => {
        queued.setText(text ?? "");
        tui.setFocus(text === undefined ? editor : queued);
        tui.requestRender();
      },
      queueInput: () => queued.getExpandedText(),
    },
  };
}

/** The editor behind a sign; hidden, its lower rule alone. */
function prompted(editor: Editor, isHidden: () => boolean, { style }: Kit): Component {
  return {
    render(width) {
      const lines = editor.render(width);
      if (isHidden() && editor.getText() === "" && !editor.isShowingAutocomplete()) return lines.slice(-1);
      return lines.map((line, index) =>
        index === 1 && line.startsWith("   ") ? ` ${style.accent("›")} ${line.slice(3)}` : line,
      );
    },
    invalidate: () => editor.invalidate(),
  };
}

function choiceOf(list: SelectList): Promise<string | undefined> {
  return new Promise((resolve) => {
    list.onSelect = (item) => resolve(item.value);
    list.onCancel = () => resolve(undefined);
  });
}
