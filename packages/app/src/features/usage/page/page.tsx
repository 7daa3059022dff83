/** Usage: what was spent, how well the cache worked, and what bounds the spending. */
import { useState } from "preact/hooks";
import { t } from "./texts.ts";
import { Tabs } from "../../../web/ui/tabs.tsx";
import { Budgets } from "./budgets.tsx";
import { CacheMissList } from "./cache.tsx";
import { Spent } from "./spent.tsx";

type Tab = "spent" | "cache" | "budgets";

export function UsagePage() {
  const [tab, setTab] = useState<Tab>("spent");
  return (
    <Tabs
      label={t("tabs")}
      chosen={tab}
      onChoose={setTab}
      tabs={[
        { id: "spent", title: t("spent") },
        { id: "cache", title: t("cache") },
        { id: "budgets", title: t("budgets") },
      ]}
    >
      {tab === "spent" && <Spent />}
      {tab === "cache" && <CacheMissList />}
      {tab === "budgets" && <Budgets />}
    </Tabs>
  );
}
