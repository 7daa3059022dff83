/** Puts a conversation on the terminal: the only file that arranges pi-tui's components. */
import type { Component, SelectItem, SelectList } from "@earendil-works/pi-tui";
import type { Usage } from "@margay/core";
import { approvalPanel } from "./approval-panel.ts";
import type { ChatApp } from "./chat-app.ts";
import { completion } from "./complete.ts";
import { fit, renderRow, wrap, type Kit, type Unfolded } from "./render-row.ts";
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
  readonly key: (
    key: "escape" | "ctrl+c" | "ctrl+d" | "ctrl+o" | "ctrl+t" | "ctrl+z" | "other",
    editor: { readonly empty: boolean; readonly completing: boolean },
  ) => boolean;
}
export interface Screen {
  show(state: ScreenState): void;
  /** For up and down. */
  remember(text: string): void;
  clearInput(): void;
  /** A list in place of the editor. @returns undefined when it was closed. */
  choose(title: string, items: readonly SelectItem[]): Promise<string | undefined>;
  start(): void;
  stop(): void;
}

const KEYS = ["escape", "ctrl+c", "ctrl+d", "ctrl+o", "ctrl+t", "ctrl+z"] as const;
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
  let choosing = false;
  let running = false;
  let started = false;

  const editor = new pi.Editor(tui, style.editor);
  editor.setAutocompleteProvider(completion(app.workspace, kit.texts, pi));
  editor.onSubmit = (text) => handlers.submit(text);
  const loader = new pi.Loader(tui, style.accent, style.dim, "");
  loader.stop(); // it turns as soon as it is made, and an idle chat would draw itself twelve times a second
  const input = new pi.Container();
  input.addChild(editor);

  const spinner = lines((width) =>
    state.shown.turn ? [fit(loader.render(WIDE).at(-1)?.trimEnd() ?? "", width, kit)] : [],
  );
  const below = lines((width) => [style.dim(fit(state.hint ?? footer(app, state, width, kit), width, kit))]);
  for (const part of [...above(app, () => state, kit), spinner, input, below]) tui.addChild(part);

  tui.addInputListener((data) => {
    if (choosing && !pi.matchesKey(data, "ctrl+c")) return undefined;
    const key = KEYS.find((name) => pi.matchesKey(data, name)) ?? "other";
    const used = handlers.key(key, { empty: editor.getText() === "", completing: editor.isShowingAutocomplete() });
    return used ? { consume: true } : undefined;
  });

  return {
    show(next) {
      const worked = state.shown.turn !== undefined;
      state = next;
      const works = next.shown.turn !== undefined;
      if (works) loader.setMessage(doing(next, kit));
      if (works && !worked) loader.start();
      if (!works && worked) loader.stop();
      tui.requestRender();
    },
    remember: (text) => editor.addToHistory(text),
    clearInput: () => editor.setText(""),
    choose: async (title, items) => {
      const list = new pi.SelectList([...items], VISIBLE_CHOICES, style.list);
      const heading = lines((width) => wrap(style.bold(title), width, kit));
      const show = (parts: readonly Component[], focus: Component): void => {
        input.clear();
        for (const part of parts) input.addChild(part);
        tui.setFocus(focus);
        tui.requestRender();
      };
      choosing = true;
      show([heading, list], list);
      const chosen = await choiceOf(list);
      choosing = false;
      show([editor], editor);
      return chosen;
    },
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
