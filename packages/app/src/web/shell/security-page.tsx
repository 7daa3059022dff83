/** Security: exposure, sandbox, the emergency stop, who may come in, and the policy. */
import { useState } from "preact/hooks";
import { t } from "../texts/panels-safety.ts";
import { Tabs } from "../ui/tabs.tsx";
import { Access } from "../../features/access/page/access.tsx";
import { KeptAside } from "../../features/quarantine/page/kept-aside.tsx";
import { Hooks } from "../../features/hooks/page/hooks.tsx";
import { Overview } from "./security-overview.tsx";
import { PolicyTable } from "../../features/approvals/page/policy.tsx";

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
