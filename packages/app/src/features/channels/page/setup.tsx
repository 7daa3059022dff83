/** Setting a channel up: the platform's own steps beside the fields, a test of the draft, then save. */
import { useState } from "preact/hooks";
import type { TestResult } from "../../../protocol/test-result.ts";
import { pick } from "../../../web/texts/panels.ts";
import { c } from "../../../web/texts/panels-common.ts";
import { t } from "./texts.ts";
import { Markdown } from "../../../web/markdown/markdown.tsx";
import { Button } from "../../../web/ui/button.tsx";
import { TextField } from "../../../web/ui/field.tsx";
import { readFields } from "../../../web/ui/form-shape.ts";
import { Control, Fields, Row } from "../../../web/ui/schema-form.tsx";
import { toast } from "../../../web/ui/toast.tsx";
import { Act, Outcome, useAct } from "../../../web/panel-kit/act.tsx";
import { api, faultsOf } from "../../../web/panel-kit/api.ts";
import { useDraft } from "../../../web/panel-kit/draft.ts";
import { PanelLink } from "../../../web/panel-kit/go.tsx";
import { Loaded } from "../../../web/panel-kit/loaded.tsx";
import { withRemovals } from "../../../web/panel-kit/removals.ts";
import { useResource } from "../../../web/panel-kit/resource.ts";
import { TestSteps } from "../../../web/panel-kit/test-steps.tsx";
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
      <Own draft={draft.value} edit={edit} faults={faults} />
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

interface OwnProps {
  readonly draft: Draft;
  readonly edit: (change: Partial<Draft>) => void;
  readonly faults: ReadonlyMap<string, string>;
}

/** What every channel has, whatever its platform. */
function Own({ draft, edit, faults }: OwnProps) {
  return (
    <>
      <Row title={t("allow")} group fault={faults.get("/allow")}>
        {(fieldId) => (
          <Control
            id={fieldId}
            shape={{ is: "list", of: { is: "text", long: false } }}
            value={draft.allow}
            onChange={(value) => edit({ allow: Array.isArray(value) ? value.map(String) : [] })}
          />
        )}
      </Row>
      <Row title={t("enabled")} inline>
        {(fieldId) => (
          <Control
            id={fieldId}
            shape={{ is: "boolean" }}
            value={draft.enabled}
            onChange={(value) => edit({ enabled: value === true })}
          />
        )}
      </Row>
    </>
  );
}
