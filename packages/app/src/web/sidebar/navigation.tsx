/** The pages: the ones used most at hand, the others one click away; look and logout. Two lines: the list of chats comes first. */
import type { VNode } from "preact";
import { api } from "../api.ts";
import { forget, login } from "../auth.ts";
import { t } from "../texts/chat.ts";
import { language, setLanguage, t as shared } from "../texts/index.ts";
import { LANGUAGE_NAMES } from "../lib/languages.zh.ts";
import { keyLabel } from "../lib/keys.ts";
import { setTextSize, setTheme, textSize, theme } from "../lib/look.ts";
import { addressOf, followLink, openPage, openPanel } from "../lib/route.ts";
import { approvalsWaiting } from "../store/sessions.ts";
import { unseen } from "../store/system.ts";
import { Icon } from "../ui/icon.tsx";
import { MenuButton, type MenuEntry } from "../ui/menu.tsx";
import { tell } from "../ui/tell.ts";
import { type Panel, panels, panelTitle } from "../pages.tsx";
import { unsavedPages } from "../panel-kit/drafts.ts";
import { drawerOpen } from "../shell/layout.ts";
import { paletteOpen } from "../shell/palette-open.ts";

const PINNED = new Set(["approvals", "cron", "memory", "settings"]);

export function Navigation({ icons = false }: { icons?: boolean }): VNode {
  const isShown = ({ id }: Panel): boolean => PINNED.has(id) || newIn(id) > 0;
  const shown = panels().filter(isShown);
  const others = panels().filter((panel) => !isShown(panel));
  const current = openPage.value?.split("/")[0];
  const more = (
    <MenuButton
      kind="quiet"
      class={others.some(({ id }) => id === current) ? "nav-more current" : "nav-more"}
      {...(icons ? { icon: "more", label: t("nav.more") } : {})}
      entries={() =>
        others.map((panel) => ({
          label: panelTitle(panel),
          icon: panel.icon,
          ...(unsavedPages.value.has(panel.id) && { note: shared("common.unsaved") }),
          onSelect: () => {
            drawerOpen.value = false;
            openPanel(panel.id);
          },
        }))
      }
    >
      {!icons && <span class="truncate">{t("nav.more")}</span>}
    </MenuButton>
  );
  return (
    <div class="side-nav" role="group" aria-label={t("nav.title")}>
      <div class="nav-row">
        {shown.map((panel) => (
          <NavItem key={panel.id} panel={panel} current={panel.id === current} />
        ))}
        {others.length > 0 && more}
      </div>
      {!icons && (
        <div class="nav-row">
          <button
            type="button"
            class="nav-item grow"
            onClick={() => {
              drawerOpen.value = false;
              paletteOpen.value = true;
            }}
          >
            <Icon name="search" size={18} />
            <span class="grow truncate">{t("nav.search")}</span>
            <kbd>{keyLabel("Mod+K")}</kbd>
          </button>
          <Look />
        </div>
      )}
    </div>
  );
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
      class="nav-item"
      href={addressOf({ panel: panel.id, item: undefined })}
      title={title}
      {...(current && { "aria-current": "true" })}
      onClick={(event) => {
        drawerOpen.value = false;
        followLink(event, { panel: panel.id });
      }}
    >
      <Icon name={panel.icon} size={18} />
      <span class="visually-hidden">{title}</span>
      {waiting > 0 && <span class="badge warn">{waiting}</span>}
      {unsaved && waiting === 0 && (
        <span class="badge" role="img" aria-label={shared("common.unsaved")}>
          •
        </span>
      )}
    </a>
  );
}

function Look(): VNode {
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
  return <MenuButton kind="quiet" icon="gear" label={t("nav.look")} entries={entries} />;
}

/** Clears what this browser kept: nothing private stays on a shared computer. */
async function logout(): Promise<void> {
  if (!(await tell(api.post("/auth/logout")))) return;
  forget(true);
  login.value = "out";
}
