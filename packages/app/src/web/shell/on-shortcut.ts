/** What the keys of lib/keys.ts do. */
import { may } from "../auth.ts";
import { announce } from "../lib/announce.ts";
import { copyText } from "../lib/clipboard.ts";
import { shortcutOf, type KeyAction } from "../lib/keys.ts";
import { closePanel, navigate, openPanel, route } from "../lib/route.ts";
import { t as chatText } from "../texts/chat.ts";
import { t } from "../texts/index.ts";
import { approvalsWaiting, chatOf, listed } from "../store/sessions.ts";
import { toast } from "../ui/toast.tsx";
import { feedControl } from "../chat/feed/feed-control.ts";
import { closeFind, findOpen } from "../chat/feed/find.ts";
import { file } from "../sidebar/folders/folders.ts";
import { t as ofFolders } from "../sidebar/folders/texts.ts";
import { rename } from "../chat/renaming.ts";
import { panels } from "../pages.tsx";
import { closeDrawer, drawerOpen, isNarrow, listShown, toggleList } from "./layout.ts";
import { paletteOpen } from "./palette-open.ts";
import { startNewChat } from "./new-chat.ts";

export function onShortcut(event: KeyboardEvent): void {
  if (event.defaultPrevented || event.isComposing) return;
  if (document.querySelector("dialog[open]") !== null) return; // dialogs have the keyboard for themselves
  if (event.key === "Escape") return escape();
  if (event.key === "Enter" && event.target instanceof HTMLElement && event.target.matches(".item")) {
    if (openActions(event.target)) event.preventDefault();
    return;
  }
  const shortcut = shortcutOf(event);
  if (shortcut !== undefined && act(shortcut.action)) event.preventDefault();
}

/** What lies on top goes first; drafts stay. */
function escape(): void {
  if (drawerOpen.value) closeDrawer();
  else if (route.value.panel !== undefined) closePanel();
  else if (findOpen.value) closeFind(); // the focus may not be in its field yet
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
      if (isNarrow() ? !drawerOpen.value : !listShown.value) toggleList();
      whenThere("#list-search");
      return true;
    case "find":
    case "other-mode":
    case "close":
    case "item-actions":
    case "first-item":
      return false; // done where the focus is
    case "stop":
      return stop();
    case "list":
      toggleList();
      return true;
    case "panel":
      if (route.value.panel === undefined) openPanel(lastPanel());
      else closePanel();
      return true;
    case "rename":
      if (route.value.session === undefined) toast(chatText("session.rename.later"));
      else rename(route.value.session);
      return true;
    case "folder":
      if (route.value.session === undefined) toast(ofFolders("folder.later"));
      else if (may("listSessionFolders")) file(route.value.session);
      return true;
    case "previous-chat":
      return step(-1);
    case "next-chat":
      return step(1);
    case "approval":
      return toApproval();
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

/** The oldest of this chat; else the page with those of all chats. */
function toApproval(): boolean {
  if (focus(".chat .approval")) return true;
  if (approvalsWaiting.value === 0) return false;
  openPanel("approvals");
  whenThere(".panel .p-approval");
  return true;
}

function copyFocused(): boolean {
  const here = document.activeElement?.closest<HTMLElement>(".item");
  if (!here || (getSelection()?.toString() ?? "") !== "") return false;
  void copyText(here.querySelector<HTMLElement>(".item-body")?.innerText ?? "").then((done) => {
    if (!done) return;
    here.focus(); // copying by selection moved it
    announce(t("common.copied"));
  });
  return true;
}

/** The menu of an item; what can be opened in it when it has none. */
function openActions(item: HTMLElement): boolean {
  const button = item.querySelector<HTMLElement>("[aria-haspopup=menu], summary, [aria-expanded]");
  button?.click();
  return button !== null;
}

/** Where F6 goes: a region, and what gets the focus in it. */
const REGIONS = [
  [".side-nav", "a, button"],
  [".side", "button, a, input"],
  [".chat-head", "button"],
  [".feed", undefined],
  [".chat-foot", "#composer"],
  [".panel", ".panel-head h2"],
] as const;

function region(by: number): boolean {
  const all = REGIONS.flatMap(([selector, first]) => {
    const element = document.querySelector<HTMLElement>(selector);
    const target = first === undefined ? element : element?.querySelector<HTMLElement>(first);
    return element && target && reachable(target) ? [{ element, target }] : [];
  });
  const at = all.findIndex(({ element }) => element.contains(document.activeElement));
  const next = at < 0 && by < 0 ? all.at(-1) : all[(at + by + all.length) % all.length];
  next?.target.focus();
  return next !== undefined;
}

function reachable(element: HTMLElement): boolean {
  return element.checkVisibility({ visibilityProperty: true }) && element.closest("[inert]") === null;
}

/** Focused as soon as it is drawn; code and data may have to come first. */
function whenThere(selector: string, tries = 60): void {
  requestAnimationFrame(() => {
    if (!focus(selector) && tries > 0) whenThere(selector, tries - 1);
  });
}

function readAnswer(): boolean {
  const last = [...document.querySelectorAll<HTMLElement>(".feed .item.assistant .item-body")].at(-1);
  if (last) announce(last.innerText);
  return last !== undefined;
}

function lastPanel(): string {
  return sessionStorage.getItem("margay.last-panel") ?? panels()[0]?.id ?? "";
}
