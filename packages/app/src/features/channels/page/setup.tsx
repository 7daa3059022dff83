/** Setting a channel up: the platform's own steps beside the fields, a test of the draft, then save. */
import { useState } from "preact/hooks";
import ChannelBody from "virtual:form/channels/schema.ts#ChannelBody";
import type { TestResult } from "../../../protocol/test-result.ts";
import { pick } from "../../../web/texts/panels.ts";
import { t } from "./texts.ts";
import { Markdown } from "../../../web/markdown/markdown.tsx";
import { TextField } from "../../../web/ui/field.tsx";
import { fieldsOf, readFields } from "../../../web/ui/form-shape.ts";
import { Act } from "../../../web/panel-kit/act.tsx";
import { api } from "../../../web/panel-kit/api.ts";
import { PanelLink } from "../../../web/panel-kit/go.tsx";
import { Loaded } from "../../../web/panel-kit/loaded.tsx";
import { withRemovals } from "../../../web/panel-kit/removals.ts";
import { ResourceForm, useForm } from "../../../web/panel-kit/resource-form.tsx";
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
          return (
            <Loaded of={channels}>
              {(items) => {
                const channel = items.find((one) => one.id === id);
                const kind = all.find((one) => one.kind === (channel?.kind ?? id));
                if (kind === undefined) return <p>{t("unknownKind")}</p>;
                return <Form id={id} kind={kind} channel={channel} reload={channels.reload} />;
              }}
            </Loaded>
          );
        }}
      </Loaded>
      <Pairings />
    </div>
  );
}

type Draft = Readonly<Record<string, unknown>>;

/** What every channel has, whatever its platform. */
const COMMON = ["operators", "allow", "enabled"] as const;

interface FormProps {
  readonly id: string;
  readonly kind: Kind;
  readonly channel: ChannelView | undefined;
  readonly reload: () => Promise<void>;
}

function Form({ id, kind, channel, reload }: FormProps) {
  const saved: Draft = {
    ...channel?.config,
    operators: channel?.operators ?? [],
    allow: channel?.allow ?? [],
    enabled: channel?.enabled ?? true,
  };
  const [to, setTo] = useState("");
  const [result, setResult] = useState<TestResult | undefined>(undefined);
  const path = `/channels/${encodeURIComponent(id)}`;
  const platform = readFields(kind.schema).filter(
    ({ name, shape }) =>
      !["enabled", "allow", "allowFrom", "operators"].includes(name) &&
      (shape.is !== "object" || shape.fields.length > 0),
  );
  const bodyOf = (value: Draft): Draft => {
    const options = withRemovals(saved["options"], value["options"]);
    return { ...value, ...(options !== undefined && { options }) };
  };
  const form = useForm<Draft>({
    name: `channels/${id}`,
    saved,
    hash: channel?.hash,
    fields: [...platform, ...fieldsOf(ChannelBody, COMMON, t.find)],
    reload,
    changed: (next) => {
      setResult(undefined);
      return next;
    },
    write: async (value, condition) => void (await api.put(path, bodyOf(value), condition)),
    said: () => t("saved", { name: kind.title }),
  });
  const test = async (): Promise<void> => {
    const asked = { draft: bodyOf(form.value), ...(to.trim() !== "" && { to: to.trim() }) };
    setResult((await api.post<TestResult>(`${path}/test`, asked)).body);
  };
  return (
    <>
      <h3>{kind.title}</h3>
      <details class="p-card" open={channel === undefined}>
        <summary>{t("guide")}</summary>
        <Markdown text={pick(kind.guide)} />
      </details>
      <ResourceForm
        form={form}
        actions={
          <Act acting={form.acting} work={test} icon="plug">
            {t("test")}
          </Act>
        }
      >
        <TextField label={t("testTo")} value={to} onValue={setTo} spellcheck={false} />
        {result !== undefined && <TestSteps result={result} good={t("testOk")} bad={t("testBad")} />}
        {channel?.restart === true && <p class="p-warn">{t("restartWhy")}</p>}
      </ResourceForm>
    </>
  );
}
