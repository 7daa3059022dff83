/** One provider: key and address as a draft, tested before it is saved. */
import { useState } from "preact/hooks";
import type { ProviderView } from "../schema.ts";
import type { TestResult } from "../../../protocol/test-result.ts";
import { c } from "../../../web/texts/panels-common.ts";
import { t } from "./texts.ts";
import { Check, Field, Select, TextField } from "../../../web/ui/field.tsx";
import { SecretControl } from "../../../web/ui/form-secret.tsx";
import { toast } from "../../../web/ui/toast.tsx";
import { Button } from "../../../web/ui/button.tsx";
import { Act, Outcome, useAct } from "../../../web/panel-kit/act.tsx";
import { api, faultsOf } from "../../../web/panel-kit/api.ts";
import { useDraft } from "../../../web/panel-kit/draft.ts";
import { TestSteps } from "../../../web/panel-kit/test-steps.tsx";
import { ProviderModels } from "./provider-models.tsx";

interface Props {
  /** Undefined: one that is not in the catalog. */
  readonly provider: ProviderView | undefined;
  readonly reload: () => Promise<void>;
  readonly use: (model: string) => Promise<void>;
}

interface Draft {
  readonly id: string;
  readonly wire: string;
  readonly baseUrl: string;
  readonly key: unknown;
  readonly allowPrivate: boolean;
}

const WIRES = ["openai-chat", "openai-responses", "anthropic", "google"];

export function ProviderForm({ provider, reload, use }: Props) {
  const saved = savedOf(provider);
  const draft = useDraft<Draft>(`models/${provider?.id ?? "new"}`, saved, provider?.hash);
  const acting = useAct();
  const [result, setResult] = useState<TestResult | undefined>(undefined);
  const [model, setModel] = useState("");
  const [live, setLive] = useState(false);
  const faults = faultsOf(acting.problem);
  const edit = (change: Partial<Draft>): void => {
    setResult(undefined);
    draft.change({ ...draft.value, ...change });
  };
  const body = () => changesOf(draft.value, saved, provider);
  const test = async (): Promise<void> => {
    const asked = {
      ...(provider !== undefined && { id: provider.id }),
      ...body(),
      ...(model.trim() !== "" && { model: model.trim() }),
      ...(live && { live }),
    };
    setResult((await api.post<TestResult>("/providers/test", asked)).body);
  };
  const save = async (): Promise<void> => {
    const { id } = draft.value;
    await api.put(
      `/providers/${encodeURIComponent(id)}`,
      body(),
      provider === undefined ? { ifNoneMatch: "*" } : { ifMatch: `"${provider.hash}"` },
    );
    draft.discard();
    toast(t("savedProvider", { name: provider?.title ?? id }));
    await reload();
  };
  const remove = async (): Promise<void> => {
    if (provider === undefined) return;
    await api.delete(`/providers/${encodeURIComponent(provider.id)}`, { ifMatch: `"${provider.hash}"` });
    toast(t("removed", { name: provider.title }));
    await reload();
  };
  return (
    <div class="stack p-form">
      <Fields draft={draft.value} saved={saved} provider={provider} edit={edit} faults={faults} />
      <TextField
        label={t("testModel")}
        value={model}
        onValue={setModel}
        spellcheck={false}
        placeholder={provider?.models[0] ?? ""}
      />
      <Check label={t("testLive")} checked={live} onChecked={setLive} />
      <Outcome of={acting} />
      {result !== undefined && (
        <>
          <TestSteps result={result} good={t("testOk")} bad={t("testBad")} />
          {draft.state !== "saved" && <p class="p-help">{t("draftDiffers")}</p>}
        </>
      )}
      <div class="p-row">
        <Act acting={acting} work={test} icon="plug">
          {t("test")}
        </Act>
        <Act acting={acting} work={save} kind="primary" disabled={draft.state === "saved" || draft.value.id === ""}>
          {c("save")}
        </Act>
        {draft.state !== "saved" && <Button onClick={draft.discard}>{c("discard")}</Button>}
        {provider?.configured === true && (
          <Act acting={acting} work={remove} kind="danger">
            {c("remove")}
          </Act>
        )}
      </div>
      {provider !== undefined && provider.usable && <ProviderModels provider={provider} use={use} />}
    </div>
  );
}

function savedOf(provider: ProviderView | undefined): Draft {
  return {
    id: provider?.id ?? "",
    wire: provider?.wire ?? "openai-chat",
    baseUrl: provider?.group === "custom" ? (provider.baseUrl ?? "") : "",
    key: provider?.key,
    allowPrivate: false,
  };
}

const isCustom = (provider: ProviderView | undefined): boolean => provider === undefined || provider.group === "custom";

/** What stays as it is is not sent: an address that was confirmed once needs no second question. */
const isMoved = (draft: Draft, saved: Draft): boolean =>
  draft.baseUrl.trim() !== "" && draft.baseUrl.trim() !== saved.baseUrl;

function changesOf(draft: Draft, saved: Draft, provider: ProviderView | undefined) {
  const { wire, baseUrl, key, allowPrivate } = draft;
  return {
    ...(isCustom(provider) && (provider === undefined || wire !== saved.wire) && { wire }),
    ...(isMoved(draft, saved) && { baseUrl: baseUrl.trim() }),
    ...(key !== undefined && key !== provider?.key && { key }),
    ...(allowPrivate && { allowPrivate }),
  };
}

interface FieldsProps {
  readonly draft: Draft;
  readonly saved: Draft;
  readonly provider: ProviderView | undefined;
  readonly edit: (change: Partial<Draft>) => void;
  readonly faults: ReadonlyMap<string, string>;
}

function Fields({ draft, saved, provider, edit, faults }: FieldsProps) {
  const custom = isCustom(provider);
  return (
    <>
      {provider === undefined && (
        <TextField
          label={t("customId")}
          hint={t("customIdWhy")}
          value={draft.id}
          onValue={(id) => edit({ id })}
          spellcheck={false}
        />
      )}
      {custom && (
        <Select
          label={t("wire")}
          value={draft.wire}
          onValue={(wire) => edit({ wire })}
          options={WIRES.map((value) => ({ value, label: value }))}
        />
      )}
      <Field
        label={t("key")}
        hint={provider === undefined || provider.keyHelp === "" ? undefined : <KeyHelp text={provider.keyHelp} />}
        fault={faults.get("/key")}
      >
        {({ id, ...rest }) => (
          <SecretControl
            shape={{ is: "secret" }}
            id={id}
            describedBy={rest["aria-describedby"]}
            value={draft.key}
            onChange={(key) => edit({ key: key === undefined ? provider?.key : key })}
          />
        )}
      </Field>
      <TextField
        label={t("baseUrl")}
        hint={provider?.baseUrl === undefined || custom ? undefined : t("baseUrlWhy", { url: provider.baseUrl })}
        fault={faults.get("/baseUrl")}
        value={draft.baseUrl}
        onValue={(baseUrl) => edit({ baseUrl })}
        inputMode="url"
        spellcheck={false}
        placeholder={provider?.baseUrl ?? "https://"}
      />
      {isMoved(draft, saved) && (
        <Check
          label={t("allowPrivate")}
          checked={draft.allowPrivate}
          onChecked={(allowPrivate) => edit({ allowPrivate })}
        />
      )}
    </>
  );
}

/** The server names a page, a variable, or both. */
function KeyHelp({ text }: { readonly text: string }) {
  if (!/^https:\/\/\S+$/.test(text)) return <>{text}</>;
  return (
    <a href={text} target="_blank" rel="noopener noreferrer">
      {t("keyWhere")}
    </a>
  );
}
