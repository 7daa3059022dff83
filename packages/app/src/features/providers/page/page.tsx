/** Models: which one answers and what stands behind it; providers with their keys and a real test. */
import { useState } from "preact/hooks";
import type { ModelView, ProviderView } from "../schema.ts";
import type { SettingsView } from "../../settings/schema.ts";
import { t } from "./texts.ts";
import { Tabs } from "../../../web/ui/tabs.tsx";
import { Loaded } from "../../../web/panel-kit/loaded.tsx";
import { useResource } from "../../../web/panel-kit/resource.ts";
import { Chain } from "./chain.tsx";
import { Providers } from "./providers.tsx";

export function ModelsPage() {
  const settings = useResource<SettingsView>("/settings", "system");
  const providers = useResource<readonly ProviderView[]>("/providers", "system");
  const models = useResource<readonly ModelView[]>("/models");
  const [tab, setTab] = useState<"chain" | "providers">("chain");
  const reload = async (): Promise<void> => {
    await Promise.all([settings.reload(), providers.reload()]);
  };
  return (
    <Tabs
      label={t("tabs")}
      chosen={tab}
      onChoose={setTab}
      tabs={[
        { id: "chain", title: t("tabChain") },
        { id: "providers", title: t("tabProviders") },
      ]}
    >
      {tab === "chain" ? (
        <Loaded of={settings}>
          {(data) => (
            <Loaded of={providers}>
              {(list) => (
                <Chain
                  settings={data}
                  providers={list}
                  models={models.data ?? []}
                  reload={reload}
                  toProviders={() => setTab("providers")}
                />
              )}
            </Loaded>
          )}
        </Loaded>
      ) : (
        <Loaded of={providers}>
          {(list) => <Providers providers={list} reload={reload} toChain={() => setTab("chain")} />}
        </Loaded>
      )}
    </Tabs>
  );
}
