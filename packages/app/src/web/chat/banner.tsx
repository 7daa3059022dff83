/** At most one line about the whole gateway, the most urgent. */
import type { ComponentChildren, VNode } from "preact";
import { api } from "../api.ts";
import { line, otherBuild } from "../connection.ts";
import { money, tokens } from "../texts/format.ts";
import { t } from "../texts/work.ts";
import { navigate, openPanel } from "../lib/route.ts";
import {
  budget,
  estop,
  isPlain,
  isPractice,
  isScheduleHeld,
  isStarting,
  isSupervised,
  pendingRestart,
  sandboxFault,
  type BudgetUse,
} from "../store/system.ts";
import { t as shared } from "../texts/index.ts";
import { Button } from "../ui/button.tsx";
import { CopyButton } from "../ui/copy-button.tsx";
import { Icon, type IconName } from "../ui/icon.tsx";
import { problemFrom } from "../ui/problem.tsx";
import { toast } from "../ui/toast.tsx";

const NEARLY = 0.8;

export function Banner(): VNode | null {
  if (estop.value)
    return (
      <Line kind="danger" icon="stop" go={shared("nav.security")} onGo={() => openPanel("security")}>
        {t("banner.estop")}
      </Line>
    );
  if (isStarting.value) return <Line icon="clock">{t("banner.starting")}</Line>;
  if (isScheduleHeld.value)
    return (
      <Line kind="warn" icon="alert" go={t("banner.held.go")} onGo={() => void resumeSchedules()}>
        {t("banner.held")}
      </Line>
    );
  if (isPractice.value === true)
    return (
      <Line icon="info" go={t("banner.practice.go")} onGo={() => navigate({ page: "welcome" })}>
        {t("banner.practice")}
      </Line>
    );
  if (isPlain.value)
    return (
      <Line kind="warn" icon="alert" go={shared("nav.security")} onGo={() => openPanel("security")}>
        {t("banner.plain")}
      </Line>
    );
  if (sandboxFault.value?.isChosen === false)
    return (
      <Line kind="warn" icon="shield" go={shared("nav.security")} onGo={() => openPanel("security")}>
        {t("banner.sandbox.missing", { reason: sandboxFault.value.reason })}
      </Line>
    );
  if (budget.value !== undefined && budget.value.share >= NEARLY)
    return (
      <Line kind="warn" icon="alert" go={shared("nav.usage")} onGo={() => openPanel("usage")}>
        {budgetText(budget.value)}
      </Line>
    );
  if (pendingRestart.value.length > 0 && isSupervised.value)
    return (
      <Line icon="refresh" go={t("banner.restart.idle")} onGo={() => void restartWhenIdle()}>
        {t("banner.restart.due", { list: pendingRestart.value.join(", ") })}
      </Line>
    );
  if (pendingRestart.value.length > 0)
    return (
      <Line icon="refresh" go={shared("nav.settings")} onGo={() => openPanel("settings")}>
        {t("banner.restart", { list: pendingRestart.value.join(", ") })} <code>margay gateway</code>{" "}
        <CopyButton text={() => "margay gateway"} />
      </Line>
    );
  if (otherBuild.value && line.value.state === "open")
    return (
      <Line icon="refresh" go={t("line.reload")} onGo={() => location.reload()}>
        {t("line.build")}
      </Line>
    );
  // Somebody's own choice hides nothing that happens.
  if (sandboxFault.value !== undefined)
    return (
      <Line icon="shield" go={shared("nav.security")} onGo={() => openPanel("security")}>
        {t("banner.sandbox.off")}
      </Line>
    );
  return null;
}

async function resumeSchedules(): Promise<void> {
  try {
    await api.post("/system/schedules/resume");
    toast(t("banner.held.done"));
  } catch (error) {
    toast(problemFrom(error).detail);
  }
}

async function restartWhenIdle(): Promise<void> {
  try {
    await api.post("/system/restart", { when: "idle" });
    toast(t("banner.restart.asked"));
  } catch (error) {
    toast(problemFrom(error).detail);
  }
}

interface LineProps {
  readonly kind?: "danger" | "warn";
  readonly icon: IconName;
  /** Without them it goes by itself. */
  readonly go?: string;
  readonly onGo?: () => void;
  readonly children: ComponentChildren;
}

function Line({ kind, icon, go, onGo, children }: LineProps): VNode {
  return (
    <div class={kind === undefined ? "banner" : `banner ${kind}`}>
      <Icon name={icon} size={16} />
      <span class="grow">{children}</span>
      {onGo && (
        <Button size="small" onClick={onGo}>
          {go}
        </Button>
      )}
    </div>
  );
}

function budgetText({ budget: { scope, source, usd, tokens: most, spent }, share }: BudgetUse): string {
  const byMoney = usd !== undefined && (spent?.costUsd ?? 0) / usd >= share;
  const values = {
    used: byMoney ? money(spent?.costUsd ?? 0) : tokens(spent?.tokens ?? 0),
    limit: byMoney ? money(usd) : t("banner.budget.tokens", { n: tokens(most ?? 0) }),
    period:
      t(`banner.budget.${scope === "month" || scope === "unattended" || scope === "guests" ? scope : "day"}`) +
      (source === undefined ? "" : ` (${source})`),
  };
  return t(share >= 1 ? "banner.budget.used" : "banner.budget.nearly", values);
}
