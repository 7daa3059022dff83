/** The model: what was found on this machine, or a key; it is saved only after its test passed. */
import { useState } from "preact/hooks";
import type { z } from "zod";
import type { ActiveModel, DetectedSchema, ProviderView } from "../../../../app/src/gateway/schema/providers.ts";
import type { TestResult } from "../../../../app/src/gateway/schema/test-result.ts";
import { t } from "../../i18n/panels-welcome.ts";
import { Button } from "../../ui/button.tsx";
import { PasswordField, Select, TextField } from "../../ui/field.tsx";
import { Act, Outcome, useAct } from "../panels/kit/act.tsx";
import { api } from "../panels/kit/api.ts";
import { Loaded } from "../panels/kit/loaded.tsx";
import { useResource } from "../panels/kit/resource.ts";
import { TestSteps } from "../panels/kit/test-steps.tsx";
import type { StepProps } from "./step.ts";

type Detected = z.infer<typeof DetectedSchema>;

interface Tried {
  readonly result: TestResult;
  readonly model: string;
}

export function ModelStep({ done }: StepProps) {
  const active = useResource<ActiveModel>("/models/active");
  const found = useResource<Detected>("/providers/detect");
  const providers = useResource<readonly ProviderView[]>("/providers");
  const acting = useAct();
  const [tried, setTried] = useState<Tried | undefined>(undefined);
  const current = active.data?.chain[0]?.model;

  /** Test, then save, in this order; a failed test saves nothing. */
  const use = (provider: string, model: string, key?: string) => async (): Promise<void> => {
    setTried(undefined);
    const secret = key === undefined || key === "" ? {} : { key: { $secret: key } };
    const { body: result } = await api.post<TestResult>("/providers/test", {
      id: provider,
      model,
      live: true,
      ...secret,
    });
    setTried({ result, model: `${provider}/${model}` });
    if (!result.ok) return;
    if (key !== undefined && key !== "") {
      const saved = providers.data?.find(({ id }) => id === provider);
      await api.put(
        `/providers/${encodeURIComponent(provider)}`,
        secret,
        saved === undefined ? { ifNoneMatch: "*" } : { ifMatch: `"${saved.hash}"` },
      );
    }
    await api.put("/models/active", { model: `${provider}/${model}` });
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
  readonly use: (provider: string, model: string, key?: string) => () => Promise<void>;
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
            title={providers.find(({ id }) => id === provider)?.title ?? provider}
            note={t("foundKey", { variable })}
            models={providers.find(({ id }) => id === provider)?.models ?? []}
            use={(model) => use(provider, model)}
            acting={acting}
          />
        ))}
        {found.local.map(({ kind, url, models }) => (
          <FoundCard
            key={url}
            title={kind}
            note={t("foundLocal", { url })}
            models={models}
            use={(model) => use(kind, model)}
            acting={acting}
          />
        ))}
      </ul>
    </section>
  );
}

interface CardProps {
  readonly title: string;
  readonly note: string;
  readonly models: readonly string[];
  readonly use: (model: string) => () => Promise<void>;
  readonly acting: ReturnType<typeof useAct>;
}

function FoundCard({ title, note, models, use, acting }: CardProps) {
  const [model, setModel] = useState(models[0] ?? "");
  return (
    <li class="p-card">
      <div>
        <strong>{title}</strong> <span class="p-faint">{note}</span>
      </div>
      <div class="p-row p-bottom">
        <div class="grow">
          {models.length > 0 ? (
            <Select
              label={t("model")}
              value={model}
              onValue={setModel}
              options={models.map((value) => ({ value, label: value }))}
            />
          ) : (
            <TextField label={t("model")} value={model} onValue={setModel} spellcheck={false} />
          )}
        </div>
        <Act acting={acting} work={use(model)} disabled={model.trim() === ""}>
          {t("test")}
        </Act>
      </div>
    </li>
  );
}

function WithKey({ providers, use, acting }: PartProps) {
  const cloud = providers.filter(({ group }) => group === "cloud" || group === "china" || group === "custom");
  const [id, setId] = useState(cloud[0]?.id ?? "");
  const [key, setKey] = useState("");
  const [model, setModel] = useState("");
  const provider = cloud.find((one) => one.id === id);
  const chosen = model === "" ? (provider?.models[0] ?? "") : model;
  return (
    <details class="p-card">
      <summary>{t("paste")}</summary>
      <div class="stack">
        <Select
          label={t("provider")}
          value={id}
          onValue={(next) => {
            setId(next);
            setModel("");
          }}
          options={cloud.map((one) => ({ value: one.id, label: one.title }))}
        />
        <PasswordField
          label={t("key")}
          hint={keyHint(provider?.keyHelp)}
          value={key}
          onValue={setKey}
          autocomplete="off"
        />
        <TextField label={t("model")} value={chosen} onValue={setModel} spellcheck={false} />
        <div>
          <Act
            acting={acting}
            work={use(id, chosen, key.trim())}
            kind="primary"
            disabled={(key.trim() === "" && provider?.usable !== true) || chosen.trim() === ""}
          >
            {t("test")}
          </Act>
        </div>
      </div>
    </details>
  );
}

/** The server says where a key comes from by an address, or in words. */
function keyHint(help: string | undefined): string | undefined {
  if (help === undefined || help === "") return undefined;
  return /^https?:/.test(help) ? t("keyWhere", { url: help }) : help;
}
