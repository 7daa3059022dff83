/** Setting a channel up: the platform's own steps beside the fields, a test of the draft, then save. */
import { useState } from "preact/hooks";
import type { TestResult } from "../../../../../app/src/gateway/schema/test-result.ts";
import { pick } from "../../../i18n/panels.ts";
import { c } from "../../../i18n/panels-common.ts";
import { t } from "../../../i18n/panels-channels.ts";
import { Markdown } from "../../../markdown/markdown.tsx";
import { Button } from "../../../ui/button.tsx";
import { TextField } from "../../../ui/field.tsx";
import { readFields } from "../../../ui/form-shape.ts";
import { Control, Fields, Row } from "../../../ui/form.tsx";
import { toast } from "../../../ui/toast.tsx";
import { Act, Outcome, useAct } from "../kit/act.tsx";
import { api, faultsOf } from "../kit/api.ts";
import { useDraft } from "../kit/draft.ts";
import { PanelLink } from "../kit/go.tsx";
import { Loaded } from "../kit/loaded.tsx";
import { withRemovals } from "../kit/removals.ts";
import { useResource } from "../kit/resource.ts";
import { TestSteps } from "../kit/test-steps.tsx";
import { Pairings } from "./pairings.tsx";
import type { ChannelView, Kind } from "./types.ts";

export function SetUp({ id }: { readonly id: string }) {
  const kinds = useResource<readonly Kind[]>("/channels/kinds");
  const channels = useResource<readonly ChannelView[]>("/channels", "channels");
  return (
    <div class="stack p-narrow">
      <p>
        <PanelLink to="channels">‹ {t("toList")}</PanelLink>
      </p>
      <Loaded of={kinds}>
        {(all) => {
          const kind = all.find((one) => one.kind === id);
          if (kind === undefined) return <p>{t("unknownKind")}</p>;
          return (
            <Loaded of={channels}>
              {(items) => <Form kind={kind} channel={items.find((one) => one.id === id)} reload={channels.reload} />}
            </Loaded>
          );
        }}
      </Loaded>
      <Pairings />
    </div>
  );
}

interface Draft {
  readonly enabled: boolean;
  readonly allow: readonly string[];
  readonly config: Readonly<Record<string, unknown>>;
}

interface FormProps {
  readonly kind: Kind;
  readonly channel: ChannelView | undefined;
  readonly reload: () => Promise<void>;
}

function Form({ kind, channel, reload }: FormProps) {
  const saved: Draft = {
    enabled: channel?.enabled ?? true,
    allow: channel?.allow ?? [],
    config: channel?.config ?? {},
  };
  const draft = useDraft<Draft>(`channels/${kind.kind}`, saved, channel?.hash);
  const acting = useAct();
  const [to, setTo] = useState("");
  const [result, setResult] = useState<TestResult | undefined>(undefined);
  const path = `/channels/${encodeURIComponent(kind.kind)}`;
  const faults = faultsOf(acting.problem);
  const edit = (change: Partial<Draft>): void => {
    setResult(undefined);
    draft.change({ ...draft.value, ...change });
  };
  const options = withRemovals(saved.config["options"], draft.value.config["options"]);
  const body = () => ({
    enabled: draft.value.enabled,
    allow: draft.value.allow.filter((one) => one.trim() !== ""),
    ...draft.value.config,
    ...(options !== undefined && { options }),
  });
  const test = async (): Promise<void> => {
    setResult(
      (await api.post<TestResult>(`${path}/test`, { draft: body(), ...(to.trim() !== "" && { to: to.trim() }) })).body,
    );
  };
  const save = async (): Promise<void> => {
    await api.put(path, body(), channel === undefined ? { ifNoneMatch: "*" } : { ifMatch: `"${channel.hash}"` });
    draft.discard();
    toast(t("saved", { name: kind.title }));
    await reload();
  };
  return (
    <>
      <h3>{kind.title}</h3>
      <details class="p-card" open={channel === undefined}>
        <summary>{t("guide")}</summary>
        <Markdown text={pick(kind.guide)} />
      </details>
      <Fields
        fields={readFields(kind.schema).filter(
          ({ name }) => name !== "enabled" && name !== "allow" && name !== "allowFrom",
        )}
        value={draft.value.config}
        onChange={(config) => edit({ config })}
        faults={faults}
      />
      <Row title={t("allow")} group fault={faults.get("/allow")}>
        {(fieldId) => (
          <Control
            id={fieldId}
            shape={{ is: "list", of: { is: "text", long: false } }}
            value={draft.value.allow}
            onChange={(value) => edit({ allow: Array.isArray(value) ? value.map(String) : [] })}
          />
        )}
      </Row>
      <Row title={t("enabled")} inline>
        {(fieldId) => (
          <Control
            id={fieldId}
            shape={{ is: "boolean" }}
            value={draft.value.enabled}
            onChange={(value) => edit({ enabled: value === true })}
          />
        )}
      </Row>
      <TextField label={t("testTo")} value={to} onValue={setTo} spellcheck={false} />
      <Outcome of={acting} />
      {result !== undefined && <TestSteps result={result} good={t("testOk")} bad={t("testBad")} />}
      {channel?.restart === true && <p class="p-warn">{t("restartWhy")}</p>}
      <div class="p-row">
        <Act acting={acting} work={test} icon="plug">
          {t("test")}
        </Act>
        <Act acting={acting} work={save} kind="primary" disabled={draft.state === "saved" && channel !== undefined}>
          {c("save")}
        </Act>
        {draft.state !== "saved" && <Button onClick={draft.discard}>{c("discard")}</Button>}
      </div>
    </>
  );
}
