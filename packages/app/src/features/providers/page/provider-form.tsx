/** One provider: key and address as a draft, tested before it is saved. */
import { useState } from "preact/hooks";
import type { z } from "zod";
import ProviderBody from "virtual:form/providers/schema.ts#ProviderBody";
import ProviderId from "virtual:form/providers/schema.ts#ProviderId";
import type { ProviderBody as Body, ProviderView } from "../schema.ts";
import type { TestResult } from "../../../protocol/test-result.ts";
import { c } from "../../../web/texts/panels-common.ts";
import { t } from "./texts.ts";
import { Check, TextField } from "../../../web/ui/field.tsx";
import { fieldsOf, nameField, type Field } from "../../../web/ui/form-shape.ts";
import type { OwnControls } from "../../../web/ui/schema-form.tsx";
import { toast } from "../../../web/ui/toast.tsx";
import { Act } from "../../../web/panel-kit/act.tsx";
import { api } from "../../../web/panel-kit/api.ts";
import { ResourceForm, useForm } from "../../../web/panel-kit/resource-form.tsx";
import { TestSteps } from "../../../web/panel-kit/test-steps.tsx";
import { ProviderModels } from "./provider-models.tsx";

interface Props {
  /** Undefined: one that is not in the catalog. */
  readonly provider: ProviderView | undefined;
  readonly reload: () => Promise<void>;
  readonly use: (model: string) => Promise<void>;
}

type Draft = z.infer<typeof Body> & { readonly id: string };

export function ProviderForm({ provider, reload, use }: Props) {
  const saved = savedOf(provider);
  const [result, setResult] = useState<TestResult | undefined>(undefined);
  const [model, setModel] = useState("");
  const [live, setLive] = useState(false);
  const form = useForm<Draft>({
    name: `models/${provider?.id ?? "new"}`,
    saved,
    hash: provider?.hash,
    fields: fieldsFor(provider),
    reload,
    changed: (next) => {
      setResult(undefined);
      return next;
    },
    write: async (draft, condition) =>
      void (await api.put(`/providers/${encodeURIComponent(draft.id)}`, changesOf(draft, saved, provider), condition)),
    said: ({ id }) => t("savedProvider", { name: provider?.title ?? id }),
  });
  const test = async (): Promise<void> => {
    const asked = {
      ...(provider !== undefined && { id: provider.id }),
      ...changesOf(form.value, saved, provider),
      ...(model.trim() !== "" && { model: model.trim() }),
      ...(live && { live }),
    };
    setResult((await api.post<TestResult>("/providers/test", asked)).body);
  };
  const remove = async (): Promise<void> => {
    if (provider === undefined) return;
    await api.delete(`/providers/${encodeURIComponent(provider.id)}`, { ifMatch: `"${provider.hash}"` });
    toast(t("removed", { name: provider.title }));
    await reload();
  };
  const own: OwnControls = isMoved(form.value, saved) ? {} : { allowPrivate: () => null };
  return (
    <div class="stack">
      <ResourceForm
        form={form}
        own={own}
        ready={form.value.id !== ""}
        actions={
          <>
            <Act acting={form.acting} work={test} icon="plug">
              {t("test")}
            </Act>
            {provider?.configured === true && (
              <Act acting={form.acting} work={remove} kind="danger">
                {c("remove")}
              </Act>
            )}
          </>
        }
      >
        <TextField
          label={t("testModel")}
          value={model}
          onValue={setModel}
          spellcheck={false}
          placeholder={provider?.models[0] ?? ""}
        />
        <Check label={t("testLive")} checked={live} onChecked={setLive} />
        {result !== undefined && (
          <>
            <TestSteps result={result} good={t("testOk")} bad={t("testBad")} />
            {form.draft.state !== "saved" && <p class="p-help">{t("draftDiffers")}</p>}
          </>
        )}
      </ResourceForm>
      {provider !== undefined && provider.usable && <ProviderModels provider={provider} use={use} />}
    </div>
  );
}

function savedOf(provider: ProviderView | undefined): Draft {
  const baseUrl = provider?.group === "custom" ? provider.baseUrl : undefined;
  return {
    id: provider?.id ?? "",
    wire: provider?.wire ?? "openai-chat",
    ...(baseUrl !== undefined && { baseUrl }),
    ...(provider !== undefined && { key: provider.key }),
  };
}

const isCustom = (provider: ProviderView | undefined): boolean => provider === undefined || provider.group === "custom";

/** What stays as it is is not sent: an address that was confirmed once needs no second question. */
const isMoved = ({ baseUrl = "" }: Draft, saved: Draft): boolean =>
  baseUrl.trim() !== "" && baseUrl.trim() !== saved.baseUrl;

function changesOf(draft: Draft, saved: Draft, provider: ProviderView | undefined): z.infer<typeof Body> {
  const { wire, baseUrl, key, allowPrivate } = draft;
  const moved = isMoved(draft, saved);
  return {
    ...(isCustom(provider) && (provider === undefined || wire !== saved.wire) && { wire }),
    ...(moved && baseUrl !== undefined && { baseUrl: baseUrl.trim() }),
    ...(key !== undefined && key !== provider?.key && { key }),
    ...(moved && allowPrivate === true && { allowPrivate }),
  };
}

/** A provider of the catalog has its own wire and address; one that is not in it is named first. */
function fieldsFor(provider: ProviderView | undefined): readonly Field[] {
  const names = isCustom(provider)
    ? (["wire", "key", "baseUrl", "allowPrivate"] as const)
    : (["key", "baseUrl", "allowPrivate"] as const);
  const help = {
    key: provider === undefined || provider.keyHelp === "" ? undefined : <KeyHelp text={provider.keyHelp} />,
    baseUrl:
      provider?.baseUrl === undefined || isCustom(provider) ? undefined : t("baseUrlOwn", { url: provider.baseUrl }),
  };
  const fields = fieldsOf(ProviderBody, names, t.find).map((field) =>
    field.name === "key" || field.name === "baseUrl" ? { ...field, help: help[field.name] } : field,
  );
  return provider === undefined ? [nameField("id", ProviderId, t.find), ...fields] : fields;
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
