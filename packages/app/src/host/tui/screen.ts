/** Puts a conversation on the terminal: the only file that arranges pi-tui's components. */
import type { Component, SelectItem, SelectList } from "@earendil-works/pi-tui";
import type { Usage } from "@margay/core";
import { approvalPanel } from "./approval-panel.ts";
import type { ChatApp } from "./chat-app.ts";
import { completion } from "./complete.ts";
import { fit, renderRow, wrap, type Kit, type Unfolded } from "./render-row.ts";
import { searchList } from "./input/search.ts";
import { safeLine } from "./safe.ts";
import { statusLine } from "./status-line.ts";
import { NOTHING, type Shown } from "./conversation.ts";
import type { Row } from "./rows.ts";

export interface ScreenState {
  readonly shown: Shown;
  readonly session: string;
  readonly usage: Usage;
  readonly unfolded: Unfolded;
  readonly stopping: boolean;
  /** One line under the editor, instead of the status. */
  readonly hint?: string;
}
export interface ScreenHandlers {
  readonly submit: (text: string) => void;
  /** @returns true when the key was used up. */
  readonly key: (data: string, editor: { readonly empty: boolean; readonly completing: boolean }) => boolean;
}
export interface Screen {
  show(state: ScreenState): void;
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
  /** The terminal belongs to another program meanwhile. */
  lend<Value>(work: () => Promise<Value>): Promise<Value>;
  /** The bell of the terminal. */
  ring(): void;
  /** A list in place of the editor. @returns undefined when it was closed. */
  choose(title: string, items: readonly SelectItem[]): Promise<string | undefined>;
  start(): void;
  stop(): void;
}

const VISIBLE_CHOICES = 8;
/** The spinner wraps its text; one line, cut at the end, says more on a narrow terminal. */
const WIDE = 500;

const BLANK: Omit<ScreenState, "session"> = {
  shown: NOTHING,
  usage: { input: 0, output: 0, cacheRead: 0, cacheWrite: 0 },
  unfolded: { tools: false, thinking: false },
  stopping: false,
};

export function createScreen(app: ChatApp, kit: Kit, handlers: ScreenHandlers): Screen {
  const { pi, style } = kit;
  const tui = new pi.TuiMainScreen(new pi.ProcessTerminal());
  let state: ScreenState = { ...BLANK, session: app.sessionKey };
  let running = false;
  let started = false;

  const editor = editorOf(tui, app, kit, handlers);
  const loader = new pi.Loader(tui, style.accent, style.dim, "");
  loader.stop(); // it turns as soon as it is made, and an idle chat would draw itself twelve times a second
  const input = new pi.Container();
  input.addChild(editor);

  const spinner = lines((width) =>
    state.shown.turn ? [fit(loader.render(WIDE).at(-1)?.trimEnd() ?? "", width, kit)] : [],
  );
  const below = lines((width) => [style.dim(fit(state.hint ?? footer(app, state, width, kit), width, kit))]);
  for (const part of [...above(app, () => state, kit), spinner, input, below]) tui.addChild(part);

  const line = editorPart(tui, editor, { input, kit });
  tui.addInputListener((data) => {
    if (line.choosing()) return undefined;
    const used = handlers.key(data, { empty: editor.getText() === "", completing: editor.isShowingAutocomplete() });
    return used ? { consume: true } : undefined;
  });

  const screen: Screen = {
    show(next) {
      const worked = state.shown.turn !== undefined;
      state = next;
      const works = next.shown.turn !== undefined;
      if (works) loader.setMessage(doing(next, kit));
      if (works && !worked) loader.start();
      if (!works && worked) loader.stop();
      tui.requestRender();
    },
    ...line.parts,
    lend: async (work) => {
      screen.stop();
      try {
        return await work();
      } finally {
        screen.start();
      }
    },
    ring: () => void process.stdout.write("\u0007"),
    start() {
      if (running) return;
      running = true;
      tui.setFocus(editor);
      tui.start();
      // After a suspension nothing of the old frame can be relied on.
      tui.requestRender(started);
      started = true;
    },
    stop() {
      if (!running) return;
      running = false;
      loader.stop();
      tui.stop();
    },
  };
  return screen;
}

type Tui = InstanceType<Kit["pi"]["TuiMainScreen"]>;
type Editor = InstanceType<Kit["pi"]["Editor"]>;

function editorOf(tui: Tui, app: ChatApp, { pi, style, texts }: Kit, { submit }: ScreenHandlers): Editor {
  const editor = new pi.Editor(tui, style.editor);
  editor.setAutocompleteProvider(completion(app.workspace, texts, pi));
  let before = "";
  editor.onChange = (text) => {
    if (text !== "") before = text;
  };
  // It hands over the text without the blanks around it; one in front means that it is not to be kept.
  editor.onSubmit = (text) => submit(before.trim() === text ? before : text);
  return editor;
}

type Line = Pick<Screen, "remember" | "clearInput" | "input" | "setInput" | "insert" | "choose" | "search">;

/** The editor, and what stands in its place until it is chosen from. */
function editorPart(
  tui: Tui,
  editor: Editor,
  { input, kit }: { readonly input: InstanceType<Kit["pi"]["Container"]>; readonly kit: Kit },
): { readonly choosing: () => boolean; readonly parts: Line } {
  const { pi, style } = kit;
  let choosing = false;
  const show = (shown: readonly Component[], focused: Component): void => {
    input.clear();
    for (const part of shown) input.addChild(part);
    tui.setFocus(focused);
    tui.requestRender();
  };
  const instead = async <Chosen>(parts: readonly Component[], focus: Component, chosen: Promise<Chosen>) => {
    choosing = true;
    show(parts, focus);
    const result = await chosen;
    choosing = false;
    show([editor], editor);
    return result;
  };
  const changed = (change: () => void): void => {
    change();
    tui.requestRender();
  };
  return {
    choosing: () => choosing,
    parts: {
      remember: (text) => editor.addToHistory(text),
      clearInput: () => editor.setText(""),
      input: () => editor.getExpandedText(),
      setInput: (text) => changed(() => editor.setText(text)),
      insert: (text) => changed(() => editor.insertTextAtCursor(text)),
      choose: (title, items) => {
        const list = new pi.SelectList([...items], VISIBLE_CHOICES, style.list);
        return instead([lines((width) => wrap(style.bold(title), width, kit)), list], list, choiceOf(list));
      },
      search: (title, texts) => {
        const { component, chosen } = searchList(title, texts, kit);
        return instead([component], component, chosen);
      },
    },
  };
}

/** What stands above the line that says what is done. */
function above(app: ChatApp, state: () => ScreenState, kit: Kit): readonly Component[] {
  return [
    lines((width) => header(app, width, kit)),
    rowsView(state, kit),
    lines((width) => waitingLines(state().shown, width, kit)),
    lines((width) => approvalPanel(state().shown.approvals, width, state().unfolded.tools, kit)),
  ];
}

function choiceOf(list: SelectList): Promise<string | undefined> {
  return new Promise((resolve) => {
    list.onSelect = (item) => resolve(item.value);
    list.onCancel = () => resolve(undefined);
  });
}

function lines(render: (width: number) => readonly string[]): Component {
  return { render: (width) => [...render(width)], invalidate() {} };
}

/** Rows never change in place, so each is rendered once per width. */
function rowsView(state: () => ScreenState, kit: Kit): Component {
  let cache = new WeakMap<
    Row,
    { readonly width: number; readonly unfolded: Unfolded; readonly lines: readonly string[] }
  >();
  return {
    render(width) {
      const { shown, unfolded } = state();
      const all: string[] = [];
      for (const row of shown.rows) {
        const kept = cache.get(row);
        const rendered =
          kept?.width === width && kept.unfolded === unfolded
            ? kept.lines
            : ["", ...renderRow(row, width, unfolded, kit)].map((line) => fit(line, width, kit));
        cache.set(row, { width, unfolded, lines: rendered });
        all.push(...rendered);
      }
      return [...all, ""];
    },
    invalidate() {
      cache = new WeakMap();
    },
  };
}

function header(app: ChatApp, width: number, kit: Kit): readonly string[] {
  const { style, texts } = kit;
  return [
    fit(style.bold(texts("banner", { workspace: safeLine(app.workspace) })), width, kit),
    ...wrap(style.dim(texts("hint")), width, kit),
    ...(app.practice() ? ["", ...wrap(style.warn(texts("practice")), width, kit)] : []),
  ];
}

function waitingLines({ waiting }: Shown, width: number, kit: Kit): readonly string[] {
  return waiting.map(({ text }) =>
    fit(kit.style.dim(`› ${kit.texts("waiting", { text: safeLine(text) })}`), width, kit),
  );
}

function footer(app: ChatApp, state: ScreenState, width: number, kit: Kit): string {
  const values = {
    model: `${app.agent.model.provider}/${app.agent.model.model}`,
    practice: app.practice(),
    session: state.session,
    usage: state.usage,
    contextTokens: state.shown.contextTokens,
    contextWindow: app.agent.settings.contextWindow,
  };
  return statusLine(values, width, kit.texts, kit.pi.visibleWidth);
}

function doing(state: ScreenState, kit: Kit): string {
  const { texts } = kit;
  const { turn, approvals } = state.shown;
  if (state.stopping) return texts("doing.stopping");
  if (approvals.length > 0) return texts("doing.asking");
  const retrying =
    turn?.doing === "retrying" ? texts("doing.retrying", { reason: safeLine(turn.error?.message ?? "") }) : undefined;
  const running = turn?.tool === undefined ? undefined : texts("doing.tool", { name: safeLine(turn.tool) });
  const what =
    retrying ?? running ?? texts(`doing.${turn === undefined || turn.doing === "retrying" ? "thinking" : turn.doing}`);
  return `${what} ${texts("escStops")}`;
}
