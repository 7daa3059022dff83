/** The models a provider lists, to choose one from. */
import { useState } from "preact/hooks";
import type { ModelView, ProviderView } from "../schema.ts";
import { t } from "./texts.ts";
import { SearchField } from "../../../web/ui/search-field.tsx";
import { Act, Outcome, useAct } from "../../../web/panel-kit/act.tsx";
import { api } from "../../../web/panel-kit/api.ts";
import { ModelFacts } from "./model-facts.tsx";

interface Props {
  readonly provider: ProviderView;
  readonly use: (model: string) => Promise<void>;
}

export function ProviderModels({ provider, use }: Props) {
  const [models, setModels] = useState<readonly ModelView[] | undefined>(undefined);
  const [query, setQuery] = useState("");
  const acting = useAct();
  const load = async (): Promise<void> => {
    setModels((await api.get<readonly ModelView[]>(`/providers/${encodeURIComponent(provider.id)}/models`)).body);
  };
  if (models === undefined)
    return (
      <div>
        <Outcome of={acting} />
        <Act acting={acting} work={load} kind="quiet" icon="list">
          {t("loadModels")}
        </Act>
      </div>
    );
  const shown = models.filter(({ id }) => id.toLowerCase().includes(query.trim().toLowerCase()));
  return (
    <section class="stack" aria-label={t("modelList", { name: provider.title })}>
      <Outcome of={acting} />
      {models.length > 8 && <SearchField label={t("searchModels")} value={query} onValue={setQuery} />}
      <p class="muted" role="status">
        {models.length === 0 ? t("noModels") : t("nModels", { n: shown.length })}
      </p>
      <ul class="p-scroll p-cards">
        {shown.slice(0, 200).map((model) => (
          <li key={model.id} class="p-line">
            <div class="p-row">
              <span class="grow p-mono">{model.id}</span>
              <Act
                acting={acting}
                work={() => use(`${provider.id}/${model.id.replace(`${provider.id}/`, "")}`)}
                size="small"
                label={t("useModel", { model: model.id })}
              >
                {t("use")}
              </Act>
            </div>
            <ModelFacts model={model} />
          </li>
        ))}
      </ul>
    </section>
  );
}
