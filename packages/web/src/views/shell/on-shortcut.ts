/** What the keys of lib/keys.ts do. */
import { announce } from "../../lib/announce.ts";
import { copyText } from "../../lib/clipboard.ts";
import { shortcutOf, type KeyAction } from "../../lib/keys.ts";
import { closePanel, navigate, openPanel, route } from "../../lib/route.ts";
import { chatOf, listed } from "../../store/sessions.ts";
import { feedControl } from "../chat/feed-control.ts";
import { drawerOpen, isNarrow, listShown, toggleList } from "./layout.ts";
import { paletteOpen } from "./palette-open.ts";
import { startNewChat } from "./new-chat.ts";

export function onShortcut(event: KeyboardEvent): void {
  if (event.key === "Escape" && !event.defaultPrevented) return escape();
  if (document.querySelector("dialog[open]") !== null) return; // dialogs have the keyboard for themselves
  const shortcut = shortcutOf(event);
  if (shortcut === undefined || event.defaultPrevented) return;
  if (act(shortcut.action)) event.preventDefault();
}

function escape(): void {
  if (drawerOpen.value) drawerOpen.value = false;
}

/** @returns whether something was done: else the key stays the browser's. */
function act(action: KeyAction): boolean {
  switch (action) {
    case "palette":
      paletteOpen.value = true;
      return true;
    case "new":
      startNewChat();
      return focus("#composer");
    case "search":
      if (isNarrow()) drawerOpen.value = true;
      else if (!listShown.value) toggleList();
      requestAnimationFrame(() => focus("#list-search"));
      return true;
    case "stop":
      return stop();
    case "list":
      toggleList();
      return true;
    case "panel":
      if (route.value.panel === undefined) openPanel(lastPanel());
      else closePanel();
      return true;
    case "previous-chat":
      return step(-1);
    case "next-chat":
      return step(1);
    case "approval":
      return focus(".approval");
    case "composer":
      return focus("#composer");
    case "previous-own":
      return feedControl.value?.step("own", -1) ?? false;
    case "next-own":
      return feedControl.value?.step("own", 1) ?? false;
    case "previous-item":
      return feedControl.value?.step("any", -1) ?? false;
    case "next-item":
      return feedControl.value?.step("any", 1) ?? false;
    case "copy":
      return copyFocused();
    case "help":
      openPanel("help");
      return true;
    case "next-region":
      return region(1);
    case "previous-region":
      return region(-1);
    case "read-answer":
      return readAnswer();
  }
}

function focus(selector: string): boolean {
  const element = document.querySelector<HTMLElement>(selector);
  element?.focus();
  return element !== null;
}

function stop(): boolean {
  const { session } = route.value;
  if (session === undefined) return false;
  void chatOf(session).stop();
  return true;
}

function step(by: number): boolean {
  const at = listed.value.findIndex(({ id }) => id === route.value.session);
  const next = listed.value[at + by];
  if (next) navigate({ page: "chat", session: next.id });
  return next !== undefined;
}

function copyFocused(): boolean {
  const here = document.activeElement?.closest<HTMLElement>(".item");
  if (!here || (getSelection()?.toString() ?? "") !== "") return false;
  void copyText(here.querySelector(".item-body")?.textContent ?? "");
  return true;
}

function region(by: number): boolean {
  const all = [".side", ".feed", "#composer", ".panel-head h2"].flatMap((selector) => {
    const element = document.querySelector<HTMLElement>(selector);
    return element && element.checkVisibility() ? [element] : [];
  });
  const at = all.findIndex((element) => element.contains(document.activeElement));
  const next = all[(at + by + all.length) % all.length];
  const first = next?.matches(".side") === true ? next.querySelector<HTMLElement>("button, a, input") : next;
  first?.focus();
  return first !== null && first !== undefined;
}

function readAnswer(): boolean {
  const last = [...document.querySelectorAll(".item.assistant .item-body")].at(-1);
  if (last) announce(last.textContent);
  return last !== undefined;
}

function lastPanel(): string {
  return sessionStorage.getItem("margay.last-panel") ?? "approvals";
}
