/** The models in the order they are tried, moved by buttons; and the one that writes the memory. */
import { useState } from "preact/hooks";
import type { ActiveModel, ModelView, ProviderView } from "../schema.ts";
import type { SettingsView } from "../../settings/schema.ts";
import { c } from "../../../web/texts/panels-common.ts";
import { t } from "./texts.ts";
import { Button } from "../../../web/ui/button.tsx";
import { toast } from "../../../web/ui/toast.tsx";
import { Act, Outcome, useAct } from "../../../web/panel-kit/act.tsx";
import { api } from "../../../web/panel-kit/api.ts";
import { useDraft } from "../../../web/panel-kit/draft.ts";
import { secretVariable, secretState } from "../../../web/ui/form-secret.tsx";
import { ModelField } from "../../../web/models/model-field.tsx";
import { ModelPicker } from "../../../web/models/picker.tsx";
import { ThinkingLevel } from "../../../web/models/thinking.tsx";
import { ModelFacts } from "./model-facts.tsx";

interface Props {
  readonly settings: SettingsView;
  readonly providers: readonly ProviderView[];
  readonly models: readonly ModelView[];
  readonly reload: () => Promise<void>;
  readonly toProviders: () => void;
}

interface Order {
  readonly models: readonly string[];
  readonly memory: string;
}

export function Chain({ settings, providers, models, reload, toProviders }: Props) {
  const saved = savedOrder(settings.values);
  const draft = useDraft<Order>("models/chain", saved, undefined);
  const acting = useAct();
  const [adding, setAdding] = useState(false);
  const { models: order, memory } = draft.value;
  const put = (next: readonly string[]): void => draft.change({ models: next, memory });
  const add = (name: string): void => {
    if (!order.includes(name)) put([...order, name]);
  };
  const save = async (): Promise<void> => {
    const [model = null, ...fallbackModels] = order;
    const answer = await api.put<ActiveModel>("/models/active", {
      model,
      fallbackModels,
      memoryModel: memory.trim() === "" ? null : memory.trim(),
    });
    draft.discard();
    const first = answer.body.chain[0];
    if (first !== undefined) toast(t("chainSaved", { model: first.model }));
    await reload();
  };
  return (
    <div class="stack">
      {order.length === 0 && (
        <div class="note-box warn">
          <div class="grow">{t("practice")}</div>
          <Button size="small" onClick={toProviders}>
            {t("tabProviders")}
          </Button>
        </div>
      )}
      <h3>{t("chain")}</h3>
      <p class="muted">{t("chainWhy")}</p>
      <ol class="p-cards">
        {order.map((name, index) => (
          <Ranked key={name} name={name} index={index} order={order} put={put} providers={providers} models={models} />
        ))}
      </ol>
      <div>
        <Button icon="plus" onClick={() => setAdding(true)}>
          {t("addModel")}
        </Button>
      </div>
      {adding && (
        <ModelPicker title={t("addModel")} value={undefined} onChoose={add} onClose={() => setAdding(false)} />
      )}
      <ThinkingLevel />
      <ModelField
        label={t("memoryModel")}
        hint={t("memoryModelWhy")}
        value={memory}
        none={t("memoryModelNone")}
        onValue={(value) => draft.change({ models: order, memory: value })}
      />
      <Outcome of={acting} />
      {draft.state !== "saved" && (
        <div class="p-savebar p-row">
          <span class="grow">{c("unsaved")}</span>
          <Button onClick={draft.discard}>{c("discard")}</Button>
          <Act acting={acting} work={save} kind="primary">
            {c("save")}
          </Act>
        </div>
      )}
    </div>
  );
}

interface RankedProps extends Pick<Props, "providers" | "models"> {
  readonly name: string;
  readonly index: number;
  readonly order: readonly string[];
  readonly put: (order: readonly string[]) => void;
}

/** One model at its place, and the buttons that move it. */
function Ranked({ name, index, order, put, providers, models }: RankedProps) {
  return (
    <li class="p-card">
      <div class="p-row">
        <div class="grow">
          <strong>{name}</strong>{" "}
          <span class="badge accent">{index === 0 ? t("main") : t("fallback", { n: index })}</span>{" "}
          <KeyBadge provider={providers.find(({ id }) => name.startsWith(`${id}/`))} />
        </div>
        <Button
          kind="quiet"
          size="small"
          icon="arrowUp"
          label={t("up", { name })}
          disabled={index === 0}
          onClick={() => put(moved(order, index, index - 1))}
        />
        <Button
          kind="quiet"
          size="small"
          icon="arrowDown"
          label={t("down", { name })}
          disabled={index === order.length - 1}
          onClick={() => put(moved(order, index, index + 1))}
        />
        <Button
          kind="quiet"
          size="small"
          icon="close"
          label={t("take", { name })}
          onClick={() => put(order.filter((one) => one !== name))}
        />
      </div>
      <ModelFacts model={models.find(({ id }) => id === name || name.endsWith(`/${id}`))} />
    </li>
  );
}

export function KeyBadge({ provider }: { readonly provider: ProviderView | undefined }) {
  if (provider === undefined) return null;
  if (!provider.usable) return <span class="badge warn">{t("noKey")}</span>;
  const state = secretState(provider.key);
  const variable = secretVariable(state);
  if (variable !== undefined) return <span class="badge">{t("keyEnv", { name: variable })}</span>;
  return <span class="badge">{state?.set === true ? t("keyFile") : t("noKeyNeeded")}</span>;
}

function savedOrder(values: SettingsView["values"]): Order {
  const { model, fallbackModels, memory } = values;
  const memoryModel = typeof memory === "object" && memory !== null && !Array.isArray(memory) ? memory["model"] : null;
  return {
    models: [
      ...(typeof model === "string" ? [model] : []),
      ...(Array.isArray(fallbackModels) ? fallbackModels.map(String) : []),
    ],
    memory: typeof memoryModel === "string" ? memoryModel : "",
  };
}

function moved(order: readonly string[], from: number, to: number): readonly string[] {
  const name = order[from];
  return name === undefined ? order : order.toSpliced(from, 1).toSpliced(to, 0, name);
}
