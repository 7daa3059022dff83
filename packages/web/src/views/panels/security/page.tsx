/** Security: exposure, sandbox, the emergency stop, who may come in, and the policy. */
import { useState } from "preact/hooks";
import { t } from "../../../i18n/panels-safety.ts";
import { Tabs } from "../../../ui/tabs.tsx";
import { Access } from "./access.tsx";
import { KeptAside } from "./kept-aside.tsx";
import { Hooks } from "./hooks.tsx";
import { Overview } from "./overview.tsx";
import { PolicyTable } from "./policy.tsx";

type Tab = "overview" | "aside" | "access" | "policy" | "webhooks";

export function SecurityPage() {
  const [tab, setTab] = useState<Tab>("overview");
  return (
    <Tabs
      label={t("secTabs")}
      chosen={tab}
      onChoose={setTab}
      tabs={[
        { id: "overview", title: t("overview") },
        { id: "aside", title: t("aside") },
        { id: "access", title: t("access") },
        { id: "policy", title: t("policy") },
        { id: "webhooks", title: t("webhooks") },
      ]}
    >
      {tab === "overview" && <Overview />}
      {tab === "aside" && <KeptAside />}
      {tab === "access" && <Access />}
      {tab === "policy" && <PolicyTable />}
      {tab === "webhooks" && <Hooks />}
    </Tabs>
  );
}
