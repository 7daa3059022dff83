/** Security: exposure, sandbox, the emergency stop, who may come in, and the policy. */
import type { ComponentChildren } from "preact";
import { useState } from "preact/hooks";
import { t } from "../texts/panels-safety.ts";
import { Tabs } from "../ui/tabs.tsx";
import { Overview } from "./security-overview.tsx";

type Tab = "overview" | "quarantine" | "access" | "policy" | "webhooks";

/** What each of the other tabs shows. */
type Tabbed = Readonly<Record<Exclude<Tab, "overview">, ComponentChildren>>;

export function SecurityPage(tabbed: Tabbed) {
  const [tab, setTab] = useState<Tab>("overview");
  return (
    <Tabs
      label={t("secTabs")}
      chosen={tab}
      onChoose={setTab}
      tabs={[
        { id: "overview", title: t("overview") },
        { id: "quarantine", title: t("quarantine") },
        { id: "access", title: t("access") },
        { id: "policy", title: t("policy") },
        { id: "webhooks", title: t("webhooks") },
      ]}
    >
      {tab === "overview" ? <Overview /> : tabbed[tab]}
    </Tabs>
  );
}
