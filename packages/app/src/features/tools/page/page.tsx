/** Tools: what the agent has, every call that was made, and how calls went. */
import { useState } from "preact/hooks";
import { t } from "../../../web/texts/panels-work.ts";
import { Tabs } from "../../../web/ui/tabs.tsx";
import { CallHistory } from "./history.tsx";
import { ToolListView } from "./list.tsx";
import { Statistics } from "./stats.tsx";

type Tab = "list" | "history" | "stats";

export function ToolsPage() {
  const [tab, setTab] = useState<Tab>("list");
  return (
    <Tabs
      label={t("toolTabs")}
      chosen={tab}
      onChoose={setTab}
      tabs={[
        { id: "list", title: t("list") },
        { id: "history", title: t("history") },
        { id: "stats", title: t("stats") },
      ]}
    >
      {tab === "list" && <ToolListView />}
      {tab === "history" && <CallHistory />}
      {tab === "stats" && <Statistics />}
    </Tabs>
  );
}
