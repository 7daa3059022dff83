/** List, chat and the page beside it; keys that work everywhere; the title of the tab. */
import { effect } from "@preact/signals";
import type { ComponentType, VNode } from "preact";
import { useEffect, useMemo, useRef } from "preact/hooks";
import type { Chat } from "../store/chat-state.ts";
import { closeLink, openLink } from "../store/link.ts";
import { approvalsWaiting, chatOf, chatsAtWork, newChat, summaries, watchSessions } from "../store/sessions.ts";
import { isPractice, watchSystem } from "../store/system.ts";
import { t } from "../texts/chat.ts";
import { finishedAway, watchAway } from "../lib/notify.ts";
import { closePanel, navigate, openPage, openSession, route } from "../lib/route.ts";
import { sayWhoLooks } from "../push/looking.ts";
import { loadMarkdown } from "../markdown/markdown.tsx";
import { ChatView } from "../chat/chat-view.tsx";
import { PanelHost, panelIsWide } from "./panel-host.tsx";
import { Navigation } from "../sidebar/navigation.tsx";
import { Sidebar } from "../sidebar/sidebar.tsx";
import type { FolderDialogProps } from "../sidebar/folders/folder-dialog.tsx";
import { filing } from "../sidebar/folders/folders.ts";
import { Lazy } from "./lazy.tsx";
import { fresh, startNewChat, takeBegins } from "./new-chat.ts";
import { paletteOpen } from "./palette-open.ts";
import { Palette } from "./palette.tsx";
import { onShortcut } from "./on-shortcut.ts";
import { wasLeft } from "../store/welcome.ts";
import { navNames } from "../lib/preferences.ts";
import { closeDrawer, drawerOpen, listShown } from "./layout.ts";
import "./shell.css";

export function Shell(): VNode {
  const connected = useMemo(() => openLink(), []);
  useEffect(() => {
    const stopSessions = watchSessions();
    watchSystem();
    void loadMarkdown();
    const stopTitle = effect(nameTheTab);
    const stopWelcome = effect(welcome);
    const stopWatching = watchAway({ approvals: () => approvalsWaiting.value, running: () => chatsAtWork.value });
    const stopLooking = sayWhoLooks();
    addEventListener("keydown", onShortcut);
    return () => {
      stopLooking();
      stopTitle();
      stopWelcome();
      stopWatching();
      stopSessions();
      removeEventListener("keydown", onShortcut);
      closeLink();
    };
  }, [connected]);
  const session = openSession.value;
  const panel = openPage.value;
  const slot = useRef<{ chat: Chat; asked: number }>(undefined);
  if (
    slot.current === undefined ||
    slot.current.asked !== fresh.value ||
    (session === undefined && slot.current.chat.id.value !== undefined)
  )
    slot.current = { chat: newChat(takeBegins(), onCreated), asked: fresh.value };
  const blank = slot.current.chat;
  // The chat that was just created keeps its object: nothing on screen is made anew.
  const chat = session === undefined || blank.id.value === session ? blank : chatOf(session);
  const wide = panel !== undefined && panelIsWide.value;
  const isTalk = session !== undefined && panel === undefined && !drawerOpen.value;
  const names = [
    "shell",
    !listShown.value && "no-list",
    wide && "wide-panel",
    drawerOpen.value && "drawer",
    isTalk && "talk",
    navNames.value === "shown" && "named",
  ];
  return (
    <div class={names.filter(Boolean).join(" ")}>
      <a class="skip" href="#composer" onClick={skipToComposer}>
        {t("skip.composer")}
      </a>
      <Navigation onHome={goHome} />
      <Sidebar current={session} onNew={startNewChat} />
      <button type="button" class="scrim" aria-hidden="true" tabIndex={-1} onClick={closeDrawer} />
      <ChatView chat={chat} key={chatKey(chat)} />
      {panel !== undefined && <PanelHost panel={panel} />}
      {paletteOpen.value && <Palette />}
      <Filing />
    </div>
  );
}

/** The folder of a chat is chosen. */
function Filing(): VNode | null {
  const one = filing.value === undefined ? undefined : summaries.value.get(filing.value);
  if (one === undefined) return null;
  return <Lazy key={one.id} over load={loadFolderDialog} props={{ one, onClose: () => (filing.value = undefined) }} />;
}

async function loadFolderDialog(): Promise<ComponentType<FolderDialogProps>> {
  return (await import("../sidebar/folders/folder-dialog.tsx")).FolderDialog;
}

/** Until a model works, coming in leads to where one is set up; who left that in this tab is not sent there again. */
function welcome(): void {
  if (isPractice.value !== true || wasLeft()) return;
  const { page, session, panel } = route.peek();
  if (page === "chat" && session === undefined && panel === undefined) navigate({ page: "welcome" }, { replace: true });
}

function goHome(): void {
  startNewChat();
  closePanel();
}

function onCreated(id: string): void {
  if (route.peek().session === undefined) navigate({ session: id }, { replace: true });
}

const keys = new WeakMap<object, number>();
const counter = { last: 0 };

/** One component per chat object, for as long as the object lives. */
function chatKey(chat: object): number {
  const known = keys.get(chat);
  if (known !== undefined) return known;
  counter.last += 1;
  keys.set(chat, counter.last);
  return counter.last;
}

function skipToComposer(event: MouseEvent): void {
  event.preventDefault(); // a fragment of the address names an item
  document.querySelector<HTMLElement>("#composer")?.focus();
}

function nameTheTab(): void {
  const session = openSession.value;
  const title = session === undefined ? t("list.new") : (summaries.value.get(session)?.title ?? t("list.untitled"));
  const waiting = approvalsWaiting.value + finishedAway.value;
  document.title = `${waiting > 0 ? `(${String(waiting)}) ` : ""}${title} – margay`;
}
