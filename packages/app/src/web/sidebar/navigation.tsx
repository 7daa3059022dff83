/** The pages beside the list: the ones used most at hand, the others one click away; look and logout. On a phone a bar. */
import type { VNode } from "preact";
import { api } from "../api.ts";
import { forget, login } from "../auth.ts";
import { t } from "../texts/chat.ts";
import { language, setLanguage, t as shared } from "../texts/index.ts";
import { LANGUAGE_NAMES } from "../lib/languages.zh.ts";
import { keyLabel } from "../lib/keys.ts";
import { setTextSize, setTheme, textSize, theme } from "../lib/look.ts";
import { navNames, setNavNames } from "../lib/preferences.ts";
import { addressOf, followLink, openPage, openPanel, openSession } from "../lib/route.ts";
import { approvalsWaiting } from "../store/sessions.ts";
import { unseen } from "../store/system.ts";
import { Icon, type IconName } from "../ui/icon.tsx";
import { Mark } from "../ui/mark.tsx";
import { MenuButton, type MenuEntry } from "../ui/menu.tsx";
import { tell } from "../ui/tell.ts";
import { type Panel, panels, panelTitle } from "../pages.tsx";
import { unsavedPages } from "../panel-kit/drafts.ts";
import { drawerOpen, isListInSight, isPhone, toggleList } from "../shell/layout.ts";
import { paletteOpen } from "../shell/palette-open.ts";
import "./navigation.css";

/** After home and chats. Settings stand at the foot. */
const RAIL = new Set(["approvals", "cron", "memory", "channels", "usage"]);
/** All that a phone has room for; the others are in the menu beside them. */
const BAR = new Set(["approvals", "cron"]);
const FOOT = "settings";

export function Navigation({ onHome }: { readonly onHome: () => void }): VNode {
  const page = openPage.value?.split("/")[0];
  const isList = isPhone.value && drawerOpen.value;
  const current = isList ? undefined : page;
  const session = openSession.value;
  const shown = panels().filter(({ id }) => RAIL.has(id) || (newIn(id) > 0 && id !== FOOT));
  const foot = panels().find(({ id }) => id === FOOT);
  return (
    <nav class="side-nav" aria-label={t("nav.title")}>
      <Mark size={26} />
      <div class="nav-row">
        <a
          class="nav-item in-bar"
          href="/"
          title={withKey(t("nav.home"), "Alt+N")}
          {...(page === undefined && session === undefined && !isList && { "aria-current": "true" })}
          onClick={(event) => {
            if (event.button !== 0 || event.ctrlKey || event.metaKey || event.shiftKey || event.altKey) return;
            event.preventDefault();
            onHome();
          }}
        >
          <Named icon="home" name={t("nav.home")} />
        </a>
        <button
          type="button"
          class="nav-item in-bar"
          title={withKey(t("list.toggle"), "Mod+B")}
          aria-expanded={isListInSight.value}
          {...(((page === undefined && session !== undefined) || isList) && { "aria-current": "true" })}
          onClick={toggleList}
        >
          <Named icon="chat" name={t("list.head")} />
        </button>
        {shown.map((panel) => (
          <NavItem key={panel.id} panel={panel} current={panel.id === current} />
        ))}
      </div>
      <div class="nav-row nav-foot">
        <More shown={shown} current={current} />
        <Find />
        {foot && <NavItem panel={foot} current={FOOT === current} />}
        <Look />
      </div>
    </nav>
  );
}

/** All other pages by their names; and whether the signs have theirs. */
function More({ shown, current }: { readonly shown: readonly Panel[]; readonly current: string | undefined }): VNode {
  const inSight = isPhone.value ? BAR : new Set([FOOT, ...shown.map(({ id }) => id)]);
  const others = panels().filter(({ id }) => !inSight.has(id));
  const entries = (): readonly MenuEntry[] => [
    ...others.map(({ id, icon, ...panel }) => ({
      label: panelTitle({ id, icon, ...panel }),
      icon,
      ...(newIn(id) > 0 && { note: String(newIn(id)) }),
      ...(unsavedPages.value.has(id) && { note: shared("common.unsaved") }),
      onSelect: () => {
        drawerOpen.value = false;
        openPanel(id);
      },
    })),
    ...(isPhone.value
      ? []
      : [
          "line" as const,
          {
            label: t("nav.names"),
            checked: navNames.value === "shown",
            alone: true as const,
            onSelect: () => setNavNames(navNames.value === "shown" ? "hidden" : "shown"),
          },
        ]),
  ];
  return (
    <MenuButton
      kind="quiet"
      class={others.some(({ id }) => id === current) ? "nav-item in-bar current" : "nav-item in-bar"}
      title={t("nav.more")}
      entries={entries}
    >
      <Named icon="grid" name={t("nav.more")} />
    </MenuButton>
  );
}

export function Find(): VNode {
  return (
    <button
      type="button"
      class="nav-item"
      title={withKey(t("nav.search"), "Mod+K")}
      onClick={() => {
        drawerOpen.value = false;
        paletteOpen.value = true;
      }}
    >
      <Named icon="search" name={t("nav.search")} />
    </button>
  );
}

/** The sign, and the name: in sight where there is room for it, and said in any case. */
function Named({ icon, name }: { readonly icon: IconName; readonly name: string }): VNode {
  return (
    <>
      <Icon name={icon} size={20} />
      <span class="nav-name truncate">{name}</span>
    </>
  );
}

function withKey(name: string, keys: string): string {
  return `${name} (${keyLabel(keys)})`;
}

/** What waits for somebody on a page. */
function newIn(id: string): number {
  return id === "approvals" ? approvalsWaiting.value : id === "notifications" ? unseen.value : 0;
}

function NavItem({ panel, current }: { panel: Panel; current: boolean }): VNode {
  const waiting = newIn(panel.id);
  const unsaved = unsavedPages.value.has(panel.id);
  const title = panelTitle(panel);
  return (
    <a
      class={BAR.has(panel.id) ? "nav-item in-bar" : "nav-item"}
      href={addressOf({ panel: panel.id, item: undefined })}
      title={panel.id === "approvals" ? withKey(title, "Alt+A") : title}
      {...(current && { "aria-current": "true" })}
      onClick={(event) => {
        drawerOpen.value = false;
        followLink(event, { panel: panel.id });
      }}
    >
      <Named icon={panel.icon} name={title} />
      {waiting > 0 && <span class="badge warn">{waiting}</span>}
      {unsaved && waiting === 0 && (
        <span class="badge" role="img" aria-label={shared("common.unsaved")}>
          •
        </span>
      )}
    </a>
  );
}

export function Look(): VNode {
  const sizes = [
    [16, "look.size.normal"],
    [18, "look.size.large"],
    [20, "look.size.largest"],
  ] as const;
  const entries = (): readonly MenuEntry[] => [
    { head: t("look.theme") },
    ...(["system", "light", "dark"] as const).map((id) => ({
      label: t(`look.${id}`),
      checked: theme.value === id,
      onSelect: () => setTheme(id),
    })),
    { head: t("look.language") },
    ...(["en", "zh"] as const).map((id) => ({
      label: LANGUAGE_NAMES[id],
      checked: language.value === id,
      onSelect: () => void tell(setLanguage(id)),
    })),
    { head: t("look.size") },
    ...sizes.map(([size, key]) => ({
      label: t(key),
      checked: textSize.value === size,
      onSelect: () => setTextSize(size),
    })),
    "line",
    { label: t("look.logout"), icon: "logout", onSelect: () => void logout() },
  ];
  return (
    <MenuButton kind="quiet" class="nav-item" title={t("nav.look")} entries={entries}>
      <Named icon="user" name={t("nav.look")} />
    </MenuButton>
  );
}

/** Clears what this browser kept: nothing private stays on a shared computer. */
async function logout(): Promise<void> {
  if (!(await tell(api.post("/auth/logout")))) return;
  forget(true);
  login.value = "out";
}
