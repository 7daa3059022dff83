/** The model: what was found on this machine, or a key; it is saved only after its test passed. */
import { useState } from "preact/hooks";
import type { z } from "zod";
import type { ActiveModel, DetectedSchema, ProviderView } from "../../providers/schema.ts";
import type { TestResult } from "../../../protocol/test-result.ts";
import { t } from "./texts.ts";
import { Button } from "../../../web/ui/button.tsx";
import { Check, PasswordField, Select, TextField } from "../../../web/ui/field.tsx";
import { ModelField } from "../../../web/models/model-field.tsx";
import { draftOffers, offersOf } from "../../../web/models/offers.ts";
import { Act, Outcome, useAct } from "../../../web/panel-kit/act.tsx";
import { api } from "../../../web/panel-kit/api.ts";
import { Loaded } from "../../../web/panel-kit/loaded.tsx";
import { useResource } from "../../../web/panel-kit/resource.ts";
import { TestSteps } from "../../../web/panel-kit/test-steps.tsx";
import type { StepProps } from "./step.ts";

type Detected = z.infer<typeof DetectedSchema>;

interface Tried {
  readonly result: TestResult;
  readonly model: string;
}

/** What is typed of a provider, before it is saved. */
interface Draft {
  readonly wire?: "openai-chat";
  readonly baseUrl?: string;
  readonly key?: { readonly $secret: string };
  readonly allowPrivate?: true;
}

export function ModelStep({ done }: StepProps) {
  const active = useResource<ActiveModel>("/models/active");
  const found = useResource<Detected>("/providers/detect");
  const providers = useResource<readonly ProviderView[]>("/providers");
  const acting = useAct();
  const [tried, setTried] = useState<Tried | undefined>(undefined);
  const current = active.data?.chain[0]?.model;

  /** Test, then save, in this order; a failed test saves nothing. */
  const use =
    (provider: string, name: string, draft: Draft = {}) =>
    async (): Promise<void> => {
      const model = name.slice(provider.length + 1);
      setTried(undefined);
      const asked = { id: provider, model, live: true, ...draft };
      const { body: result } = await api.post<TestResult>("/providers/test", asked);
      setTried({ result, model: name });
      if (!result.ok) return;
      if (Object.keys(draft).length > 0) {
        const saved = providers.data?.find(({ id }) => id === provider);
        await api.put(
          `/providers/${encodeURIComponent(provider)}`,
          draft,
          saved === undefined ? { ifNoneMatch: "*" } : { ifMatch: `"${saved.hash}"` },
        );
        await providers.reload();
      }
      await api.put("/models/active", { model: name });
      await active.reload();
    };
  return (
    <>
      <p>{t("modelWhy")}</p>
      {current !== undefined && <p class="note-box">{t("already", { model: current })}</p>}
      <Loaded of={found}>
        {(data) => <Found found={data} providers={providers.data ?? []} use={use} acting={acting} />}
      </Loaded>
      <Loaded of={providers}>{(list) => <WithKey providers={list} use={use} acting={acting} />}</Loaded>
      {acting.busy && <p role="status">{t("testing")}</p>}
      <Outcome of={acting} />
      {tried !== undefined && (
        <TestSteps result={tried.result} good={t("testOk", { model: tried.model })} bad={t("testBad")} />
      )}
      <div class="p-row">
        <Button kind="primary" disabled={current === undefined} onClick={done}>
          {t("next")}
        </Button>
        {current === undefined && (
          <Button kind="quiet" onClick={done}>
            {t("practice")}
          </Button>
        )}
      </div>
      {current === undefined && <p class="p-help">{t("practiceWhy")}</p>}
    </>
  );
}

interface PartProps {
  readonly providers: readonly ProviderView[];
  readonly acting: ReturnType<typeof useAct>;
  readonly use: (provider: string, name: string, draft?: Draft) => () => Promise<void>;
}

function Found({ found, providers, use, acting }: PartProps & { readonly found: Detected }) {
  if (found.env.length + found.local.length === 0) return <p class="muted">{t("foundNothing")}</p>;
  return (
    <section class="stack">
      <h2>{t("found")}</h2>
      <ul class="p-cards">
        {found.env.map(({ provider, variable }) => (
          <FoundCard
            key={variable}
            provider={provider}
            title={providers.find(({ id }) => id === provider)?.title ?? provider}
            note={t("foundKey", { variable })}
            first={providers.find(({ id }) => id === provider)?.models[0]}
            use={use}
            acting={acting}
          />
        ))}
        {found.local.map(({ kind, url, models }) => (
          <FoundCard
            key={url}
            provider={kind}
            title={providers.find(({ id }) => id === kind)?.title ?? kind}
            note={t("foundLocal", { url })}
            first={models[0]}
            use={use}
            acting={acting}
          />
        ))}
      </ul>
    </section>
  );
}

interface CardProps extends Pick<PartProps, "use" | "acting"> {
  readonly provider: string;
  readonly title: string;
  readonly note: string;
  readonly first: string | undefined;
}

function FoundCard({ provider, title, note, first, use, acting }: CardProps) {
  const [model, setModel] = useState(first === undefined ? "" : `${provider}/${first}`);
  return (
    <li class="p-card">
      <div>
        <strong>{title}</strong> <span class="p-faint">{note}</span>
      </div>
      <div class="p-row p-bottom">
        <div class="grow">
          <ModelField label={t("model")} value={model} onValue={setModel} source={offersOf(provider, title)} />
        </div>
        <Act acting={acting} work={use(provider, model)} disabled={model === ""}>
          {t("test")}
        </Act>
      </div>
    </li>
  );
}

/** The id of a service that is in no list: it speaks as OpenAI's does. */
const OTHER = "custom";

function WithKey({ providers, use, acting }: PartProps) {
  const listed = providers.filter(({ group }) => group !== "plugin");
  const [id, setId] = useState(listed.find(({ group }) => group === "cloud")?.id ?? OTHER);
  const [key, setKey] = useState("");
  const [baseUrl, setBaseUrl] = useState("");
  const [allowPrivate, setAllowPrivate] = useState(false);
  const [model, setModel] = useState("");
  const provider = listed.find((one) => one.id === id);
  const first = provider?.models[0];
  const chosen = model !== "" ? model : first === undefined ? "" : `${id}/${first}`;
  const address = baseUrl.trim();
  const draft: Draft = {
    ...(provider === undefined && { wire: "openai-chat" }),
    ...(address !== "" && { baseUrl: address }),
    ...(key.trim() !== "" && { key: { $secret: key.trim() } }),
    ...(allowPrivate && { allowPrivate }),
  };
  const isReady =
    chosen !== "" && (provider === undefined ? address !== "" : key.trim() !== "" || address !== "" || provider.usable);
  const title = provider?.title ?? t("other");
  return (
    <section class="p-card stack" aria-labelledby="welcome-key">
      <h2 id="welcome-key">{t("paste")}</h2>
      <Select
        label={t("provider")}
        value={id}
        onValue={(next) => {
          setId(next);
          setModel("");
        }}
        options={[
          ...listed.map((one) => ({ value: one.id, label: one.title })),
          ...(listed.some((one) => one.id === OTHER) ? [] : [{ value: OTHER, label: t("other") }]),
        ]}
      />
      <PasswordField
        label={t("key")}
        hint={keyHint(provider?.keyHelp)}
        value={key}
        onValue={setKey}
        autocomplete="off"
      />
      <TextField
        label={t(provider === undefined ? "serviceAddress" : "addressOptional")}
        value={baseUrl}
        onValue={setBaseUrl}
        inputMode="url"
        spellcheck={false}
        placeholder={provider?.baseUrl ?? "https://…/v1"}
      />
      {address !== "" && <Check label={t("allowPrivate")} checked={allowPrivate} onChecked={setAllowPrivate} />}
      <ModelField label={t("model")} value={chosen} onValue={setModel} source={draftOffers(id, title, () => draft)} />
      <div>
        <Act acting={acting} work={use(id, chosen, draft)} kind="primary" disabled={!isReady}>
          {t("test")}
        </Act>
      </div>
    </section>
  );
}

/** The server says where a key comes from by an address, or in words. */
function keyHint(help: string | undefined): string | undefined {
  if (help === undefined || help === "") return undefined;
  return /^https?:/.test(help) ? t("keyWhere", { url: help }) : help;
}
