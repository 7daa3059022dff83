/** One table of shortcuts: what is pressed, where it acts, what it does. The help page draws it too. */
import { letterKeys } from "./preferences.ts";

export type KeyAction =
  | "palette"
  | "stop"
  | "new"
  | "search"
  | "find"
  | "list"
  | "panel"
  | "rename"
  | "folder"
  | "previous-chat"
  | "next-chat"
  | "approval"
  | "composer"
  | "previous-own"
  | "next-own"
  | "next-item"
  | "previous-item"
  | "first-item"
  | "item-actions"
  | "copy"
  | "other-mode"
  | "close"
  | "help"
  | "next-region"
  | "previous-region"
  | "read-answer";

export interface Shortcut {
  readonly action: KeyAction;
  /** `Mod` is Cmd on macOS, Ctrl elsewhere. */
  readonly keys: string;
  /** A single character: off while typing, and switchable off. */
  readonly bare?: true;
  /** Acts where the focus is (a field, an item, what is open) and is handled there. */
  readonly local?: true;
}

export const SHORTCUTS: readonly Shortcut[] = [
  { action: "palette", keys: "Mod+K" },
  { action: "new", keys: "Alt+N" },
  { action: "search", keys: "Mod+Shift+F" },
  { action: "find", keys: "Mod+F", local: true },
  { action: "stop", keys: "Mod+." },
  { action: "other-mode", keys: "Mod+Enter", local: true },
  { action: "list", keys: "Mod+B" },
  { action: "panel", keys: "Mod+J" },
  { action: "rename", keys: "F2" },
  { action: "folder", keys: "Shift+F2" },
  { action: "previous-chat", keys: "Alt+ArrowUp" },
  { action: "next-chat", keys: "Alt+ArrowDown" },
  { action: "approval", keys: "Alt+A" },
  { action: "read-answer", keys: "Alt+R" },
  { action: "next-region", keys: "F6" },
  { action: "previous-region", keys: "Shift+F6" },
  { action: "close", keys: "Escape", local: true },
  { action: "composer", keys: "/", bare: true },
  { action: "previous-own", keys: "[", bare: true },
  { action: "next-own", keys: "]", bare: true },
  { action: "next-item", keys: "j", bare: true },
  { action: "previous-item", keys: "k", bare: true },
  { action: "first-item", keys: "Home", local: true },
  { action: "item-actions", keys: "Enter", local: true },
  { action: "copy", keys: "c", bare: true },
  { action: "help", keys: "?", bare: true },
];

export const onMac = navigator.platform.startsWith("Mac");

export function shortcutOf(event: KeyboardEvent): Shortcut | undefined {
  if (event.isComposing) return undefined;
  const typing = isTyping(event.target);
  const letters = !typing && letterKeys.value === "on";
  return SHORTCUTS.find((one) => one.local !== true && (one.bare !== true || letters) && fits(event, one));
}

/** Whether the keys of an action were pressed: for those that are handled where they act. */
export function isPressed(event: KeyboardEvent, action: KeyAction): boolean {
  return SHORTCUTS.some((one) => one.action === action && fits(event, one));
}

/** "Ctrl+K", or "⌘K" on macOS. */
export function keyLabel(keys: string): string {
  return keyNames(keys).join(onMac ? "" : "+");
}

/** Each key of a combination, as it is written on keyboards here. */
export function keyNames(keys: string): readonly string[] {
  const arrows = { ArrowUp: "↑", ArrowDown: "↓", Escape: "Esc" };
  const names: Readonly<Record<string, string>> = onMac
    ? { ...arrows, Mod: "⌘", Alt: "⌥", Shift: "⇧" }
    : { ...arrows, Mod: "Ctrl" };
  return keys.split("+").map((key) => names[key] ?? key);
}

function fits(event: KeyboardEvent, { keys, bare }: Shortcut): boolean {
  const parts = keys.split("+");
  const key = parts.at(-1) ?? "";
  if (event.key.toLowerCase() !== key.toLowerCase() && event.code !== `Key${key}`) return false;
  const mod = onMac ? event.metaKey : event.ctrlKey;
  const other = onMac ? event.ctrlKey : event.metaKey;
  if (other || mod !== parts.includes("Mod") || event.altKey !== parts.includes("Alt")) return false;
  return bare === true || event.shiftKey === parts.includes("Shift");
}

export function isTyping(target: EventTarget | null): boolean {
  return (
    target instanceof HTMLElement &&
    (target.isContentEditable || /^(INPUT|TEXTAREA|SELECT)$/.test(target.tagName)) &&
    !(target instanceof HTMLInputElement && /^(checkbox|radio|button)$/.test(target.type))
  );
}
