/** Which key does what: the defaults, and `keybindings.json` of the state directory over them. */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import type { KeyId } from "@earendil-works/pi-tui";
import { nearest } from "@margay/core/internal";
import type { ChatTexts } from "../texts.ts";
import type { PiTui } from "../layout/kit.ts";
import { safeLine } from "../safe.ts";

/** What a key of the chat does, and which one does it unless the person says otherwise. */
const DEFAULTS = {
  stop: ["escape"],
  interrupt: ["ctrl+c"],
  leave: ["ctrl+d"],
  tools: ["ctrl+o"],
  thinking: ["ctrl+t"],
  suspend: ["ctrl+z"],
  takeBack: ["alt+up"],
  queueNext: ["alt+down"],
  queueMode: ["tab"],
  queueRemove: ["ctrl+x"],
  history: ["ctrl+r"],
  editor: ["ctrl+g"],
  image: ["ctrl+v"],
} as const satisfies Readonly<Record<string, readonly KeyId[]>>;

export type Action = keyof typeof DEFAULTS;
const ACTIONS = Object.keys(DEFAULTS) as readonly Action[]; // the keys of the table above

export interface Keymap {
  /** @returns undefined for a key that is text, or belongs to the editor. */
  readonly actionOf: (data: string) => Action | undefined;
  /** What is wrong with the file, for the person. */
  readonly problem?: string;
}

const FILE = "keybindings.json";
const KEY = /^(?:(?:ctrl|shift|alt|super)\+)*(?:[a-z0-9]|f\d{1,2}|[a-zA-Z]{2,9}|[^\w\s])$/;

/** @param home The state directory. Absent: the defaults. Sets the keys of pi-tui's editor too. */
export function readKeymap(home: string | undefined, texts: ChatTexts, pi: PiTui): Keymap {
  const { given, problem } = home === undefined ? { given: {} } : readFile(join(home, FILE), texts, pi);
  const editor = Object.entries(given).filter(([name]) => name.startsWith("tui."));
  pi.setKeybindings(new pi.KeybindingsManager(pi.TUI_KEYBINDINGS, Object.fromEntries(editor)));
  const keys = ACTIONS.map((action) => [action, given[`chat.${action}`] ?? DEFAULTS[action]] as const);
  return {
    actionOf: (data) =>
      // Whatever the file says: a chat that cannot be left holds the terminal.
      pi.matchesKey(data, "ctrl+c")
        ? "interrupt"
        : keys.find(([, ids]) => ids.some((id) => pi.matchesKey(data, id)))?.[0],
    ...(problem !== undefined && { problem }),
  };
}

type Bindings = Readonly<Record<string, KeyId[]>>;

/** All of the file or nothing of it. */
function readFile(path: string, texts: ChatTexts, pi: PiTui): { readonly given: Bindings; readonly problem?: string } {
  let raw: unknown;
  try {
    raw = JSON.parse(readFileSync(path, "utf8"));
  } catch (error) {
    if (error instanceof Error && "code" in error && error.code === "ENOENT") return { given: {} };
    return wrong(texts("keys.unreadable", { path, reason: error instanceof Error ? safeLine(error.message) : "" }));
  }
  if (typeof raw !== "object" || raw === null || Array.isArray(raw)) return wrong(texts("keys.noObject", { path }));
  const names = [...ACTIONS.map((action) => `chat.${action}`), ...Object.keys(pi.TUI_KEYBINDINGS)];
  const given: Record<string, KeyId[]> = {};
  for (const [name, value] of Object.entries(raw)) {
    const near = nearest(name, names) ?? names[0] ?? "";
    if (!names.includes(name)) return wrong(texts("keys.unknown", { path, name: safeLine(name), near }));
    const keys: readonly unknown[] = Array.isArray(value) ? value : [value];
    const bad = keys.find((key) => typeof key !== "string" || !KEY.test(key));
    if (bad !== undefined) return wrong(texts("keys.bad", { path, name, key: safeLine(JSON.stringify(bad)) }));
    given[name] = keys as KeyId[]; // of that form
  }
  return { given };
}

function wrong(problem: string): { readonly given: Bindings; readonly problem: string } {
  return { given: {}, problem };
}
