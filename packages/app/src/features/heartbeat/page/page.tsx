/** Heartbeat and greeting: the two things margay does by itself. */
import { useState } from "preact/hooks";
import { t } from "./texts.ts";
import { Tabs } from "../../../web/ui/tabs.tsx";
import { GreetingTab } from "./greeting.tsx";
import { HeartbeatTab } from "./heartbeat.tsx";

export function HeartbeatPage() {
  const [tab, setTab] = useState<"heartbeat" | "greeting">("heartbeat");
  return (
    <Tabs
      label={t("tabs")}
      chosen={tab}
      onChoose={setTab}
      tabs={[
        { id: "heartbeat", title: t("heartbeat") },
        { id: "greeting", title: t("greeting") },
      ]}
    >
      {tab === "heartbeat" ? <HeartbeatTab /> : <GreetingTab />}
    </Tabs>
  );
}
