/** System: how the process is, what the doctor finds, the log. */
import { useState } from "preact/hooks";
import { t } from "./texts.ts";
import { Tabs } from "../../../web/ui/tabs.tsx";
import type { PanelProps } from "../../../web/panel-kit/panel.ts";
import { Backup } from "./backup.tsx";
import { Doctor } from "./doctor.tsx";
import { Logs } from "./logs.tsx";
import { State } from "./state.tsx";

type Tab = "state" | "doctor" | "logs" | "backup";

export function SystemPage({ rest }: PanelProps) {
  const [tab, setTab] = useState<Tab>(rest === "doctor" || rest === "logs" || rest === "backup" ? rest : "state");
  return (
    <Tabs
      label={t("tabs")}
      chosen={tab}
      onChoose={setTab}
      tabs={[
        { id: "state", title: t("state") },
        { id: "doctor", title: t("doctor") },
        { id: "logs", title: t("logs") },
        { id: "backup", title: t("backup") },
      ]}
    >
      {tab === "state" && <State />}
      {tab === "doctor" && <Doctor />}
      {tab === "logs" && <Logs />}
      {tab === "backup" && <Backup />}
    </Tabs>
  );
}
