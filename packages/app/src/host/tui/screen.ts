/** Puts a conversation on the terminal: the only file that arranges pi-tui's components. */
import type { Component } from "@earendil-works/pi-tui";
import { systemClock } from "@margay/core/internal";
import { every } from "./every.ts";
import type { ChatApp } from "./chat-app.ts";
import { completion } from "./complete.ts";
import { NOTHING } from "./conversation.ts";
import { NO_FACTS } from "./facts.ts";
import { approvalPanel } from "./layout/approval-panel.ts";
import { INDENT, type Kit } from "./layout/kit.ts";
import { createLine, type Line } from "./layout/line.ts";
import { queueLines } from "./layout/queue.ts";
import { remedyLines } from "./layout/remedies.ts";
import { rowsView } from "./layout/rows-view.ts";
import { belowLines, doingLines } from "./layout/status.ts";
import type { ScreenState } from "./layout/screen-state.ts";
import { titleLines } from "./layout/title.ts";

/** What has the keys. */
export interface Typing {
  readonly empty: boolean;
  readonly completing: boolean;
}
export interface ScreenHandlers {
  readonly submit: (text: string) => void;
  /** Enter in the waiting message that is edited: what stands in it. */
  readonly keep: (text: string) => void;
  /** @returns true when the key was used up. */
  readonly key: (data: string, editor: Typing) => boolean;
}
export interface Screen extends Line {
  show(state: ScreenState): void;
  /** The terminal belongs to another program meanwhile. */
  lend<Value>(work: () => Promise<Value>): Promise<Value>;
  /** The bell of the terminal. */
  ring(): void;
  start(): void;
  stop(): void;
}
const BLANK: Omit<ScreenState, "session"> = {
  shown: NOTHING,
  usage: { input: 0, output: 0, cacheRead: 0, cacheWrite: 0 },
  unfolded: { tools: false, thinking: false },
  stopping: false,
  facts: NO_FACTS,
};

/** What runs is drawn anew so often: the time stands beside it. */
const TICK_MS = 1000;

export function createScreen(app: ChatApp, kit: Kit, handlers: ScreenHandlers): Screen {
  const { pi, style } = kit;
  const tui = new pi.TuiMainScreen(new pi.ProcessTerminal());
  let state: ScreenState = { ...BLANK, session: app.sessionKey };
  let running = false;
  let started = false;
  let ticks: Disposable | undefined;

  const editor = new pi.Editor(tui, style.editor, { paddingX: INDENT });
  editor.setAutocompleteProvider(completion(app.workspace, kit.texts, pi));
  let before = "";
  editor.onChange = (text) => {
    if (text !== "") before = text;
  };
  // It hands over the text without the blanks around it; one in front means that it is not to be kept.
  editor.onSubmit = (text) => handlers.submit(before.trim() === text ? before : text);
  const line = createLine(tui, editor, kit, {
    keep: handlers.keep,
    // A question is answered by a key: the line is there as soon as something is typed.
    isHidden: () => state.shown.approvals.length > 0 && state.refusing !== true,
  });
  for (const part of partsOf(app, () => state, kit, line)) tui.addChild(part);

  tui.addInputListener((data) => {
    if (line.choosing()) return undefined;
    const used = handlers.key(data, { empty: editor.getText() === "", completing: editor.isShowingAutocomplete() });
    return used ? { consume: true } : undefined;
  });

  const turnOver = (): void => {
    ticks?.[Symbol.dispose]();
    ticks = undefined;
  };
  const screen: Screen = {
    ...line.parts,
    show(next) {
      state = next;
      if (next.shown.turn === undefined) turnOver();
      else ticks ??= every(TICK_MS, () => tui.requestRender());
      tui.requestRender();
    },
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
      line.focus();
      tui.start();
      // After a suspension nothing of the old frame can be relied on.
      tui.requestRender(started);
      started = true;
    },
    stop() {
      if (!running) return;
      running = false;
      turnOver();
      tui.stop();
    },
  };
  return screen;
}

/** From the first line to the last. */
function partsOf(
  app: ChatApp,
  state: () => ScreenState,
  kit: Kit,
  line: ReturnType<typeof createLine>,
): readonly Component[] {
  const now = (): number => systemClock().now();
  const rows = rowsView(() => ({ ...state(), now: now() }), kit);
  /** Far above the last lines nothing may change: all of it would be drawn anew, and the person's place in it lost. */
  let top: readonly string[] | undefined;
  let topWidth = 0;
  const title = (width: number): readonly string[] => {
    const { shown, facts } = state();
    const isEmpty = shown.rows.length === 0 && shown.turn === undefined;
    const isGone = rows.height() > (process.stdout.rows ?? 24) && topWidth === width;
    if (!isGone || top === undefined) top = titleLines({ app, facts, isEmpty }, width, kit);
    topWidth = width;
    return top;
  };
  return [
    lines(title),
    rows,
    lines((width) => doingLines(app, state(), now(), width, kit)),
    lines((width) => remedyLines(state().remedies, width, kit)),
    lines((width) => {
      const { shown, editing } = state();
      return queueLines({ waiting: shown.waiting, ...(editing && { editing }) }, line.edited, width, kit);
    }),
    lines((width) => approvalPanel(state().shown.approvals, width, state().unfolded.tools, kit)),
    line.component,
    lines((width) => belowLines(app, state(), now(), width, kit)),
  ];
}

function lines(render: (width: number) => readonly string[]): Component {
  return { render: (width) => [...render(width)], invalidate() {} };
}
