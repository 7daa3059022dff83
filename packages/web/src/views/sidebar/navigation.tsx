/** The pages: the ones used most at hand, the others one click away; look and logout. */
import type { VNode } from "preact";
import { useState } from "preact/hooks";
import { api } from "../../api.ts";
import { forget, login } from "../../auth.ts";
import { t } from "../../i18n/chat.ts";
import { language, setLanguage, t as shared } from "../../i18n/index.ts";
import { keyLabel } from "../../lib/keys.ts";
import { setTextSize, setTheme, textSize, theme } from "../../lib/look.ts";
import { addressOf, followLink, route } from "../../lib/route.ts";
import { approvalsWaiting } from "../../store/sessions.ts";
import { Button } from "../../ui/button.tsx";
import { Icon } from "../../ui/icon.tsx";
import { MenuButton, type MenuEntry } from "../../ui/menu.tsx";
import { tell } from "../../ui/tell.ts";
import { PANELS, panelTitle } from "../panel-list.ts";
import { unsavedPages } from "../panels/kit/drafts.ts";
import { drawerOpen } from "../shell/layout.ts";
import { paletteOpen } from "../shell/palette-open.ts";

const AT_HAND = new Set(["approvals", "cron", "memory", "settings"]);

export function Navigation({ icons = false }: { icons?: boolean }): VNode {
  const [all, setAll] = useState(false);
  const shown = PANELS.filter(({ id }) => AT_HAND.has(id));
  const others = PANELS.filter(({ id }) => !AT_HAND.has(id));
  const current = route.value.panel?.split("/")[0];
  const open = all || others.some(({ id }) => id === current);
  return (
    <div class="side-nav" role="group" aria-label={t("nav.title")}>
      {shown.map((panel) => (
        <NavItem key={panel.id} panel={panel} current={panel.id === current} icon={icons} />
      ))}
      {!icons && (
        <>
          <button type="button" class="nav-item" aria-expanded={open} onClick={() => setAll(!open)}>
            <Icon name={open ? "chevronDown" : "chevronRight"} size={18} />
            {t("nav.more")}
          </button>
          {open && (
            <div class="nav-all">
              {others.map((panel) => (
                <NavItem key={panel.id} panel={panel} current={panel.id === current} icon={false} />
              ))}
            </div>
          )}
          <div class="nav-row">
            <button
              type="button"
              class="nav-item"
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
        </>
      )}
    </div>
  );
}

function NavItem({ panel, current, icon }: { panel: (typeof PANELS)[number]; current: boolean; icon: boolean }): VNode {
  const waiting = panel.id === "approvals" ? approvalsWaiting.value : 0;
  const title = panelTitle(panel);
  if (icon)
    return (
      <Button
        kind="quiet"
        icon={panel.icon}
        label={waiting > 0 ? `${title} (${String(waiting)})` : title}
        onClick={(event) => followLink(event, { panel: panel.id })}
      />
    );
  return (
    <a
      class="nav-item"
      href={addressOf({ panel: panel.id })}
      {...(current && { "aria-current": "true" })}
      onClick={(event) => {
        drawerOpen.value = false;
        followLink(event, { panel: panel.id });
      }}
    >
      <Icon name={panel.icon} size={18} />
      <span class="truncate">{title}</span>
      {unsavedPages.value.has(panel.id) && (
        <span class="badge" role="img" title={shared("common.unsaved")} aria-label={shared("common.unsaved")}>
          •
        </span>
      )}
      {waiting > 0 && <span class="badge warn">{waiting}</span>}
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
    { label: "English", checked: language.value === "en", onSelect: () => setLanguage("en") },
    { label: "简体中文", checked: language.value === "zh", onSelect: () => setLanguage("zh") },
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
