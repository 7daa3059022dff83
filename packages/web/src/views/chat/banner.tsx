/** At most one line about the whole gateway, the most urgent. */
import type { VNode } from "preact";
import { t } from "../../i18n/work.ts";
import { navigate, openPanel, route } from "../../lib/route.ts";
import { chatOf } from "../../store/sessions.ts";
import { estop } from "../../store/system.ts";
import { t as shared } from "../../i18n/index.ts";
import { Button } from "../../ui/button.tsx";
import { Icon } from "../../ui/icon.tsx";

export function Banner(): VNode | null {
  if (estop.value)
    return (
      <div class="banner danger">
        <Icon name="stop" size={16} />
        <span class="grow">{t("banner.estop")}</span>
        <Button size="small" onClick={() => openPanel("security")}>
          {shared("nav.security")}
        </Button>
      </div>
    );
  const { session } = route.value;
  const practice = session !== undefined && chatOf(session).detail.value?.model.provider === "practice";
  if (!practice) return null;
  return (
    <div class="banner">
      <Icon name="info" size={16} />
      <span class="grow">{t("banner.practice")}</span>
      <Button size="small" onClick={() => navigate({ page: "welcome" })}>
        {t("banner.practice.go")}
      </Button>
    </div>
  );
}
