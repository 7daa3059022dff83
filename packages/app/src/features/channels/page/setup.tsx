/** Setting a channel up: the platform's own steps beside the fields, a test of the draft, then save. */
import { useState } from "preact/hooks";
import ChannelBody from "virtual:form/channels/schema.ts#ChannelBody";
import ChannelName from "virtual:form/channels/schema.ts#ChannelName";
import type { TestResult } from "../../../protocol/test-result.ts";
import { pick } from "../../../web/texts/panels.ts";
import { Login } from "./login.tsx";
import { t } from "./texts.ts";
import { Markdown } from "../../../web/markdown/markdown.tsx";
import { openPanel } from "../../../web/lib/route.ts";
import { TextField } from "../../../web/ui/field.tsx";
import { type Field, fieldsOf, nameField, readFields } from "../../../web/ui/form-shape.ts";
import { Act } from "../../../web/panel-kit/act.tsx";
import { api } from "../../../web/panel-kit/api.ts";
import { PanelLink } from "../../../web/panel-kit/go.tsx";
import { Loaded } from "../../../web/panel-kit/loaded.tsx";
import { withRemovals } from "../../../web/panel-kit/removals.ts";
import { ResourceForm, useForm } from "../../../web/panel-kit/resource-form.tsx";
import { useResource } from "../../../web/panel-kit/resource.ts";
import { TestSteps } from "../../../web/panel-kit/test-steps.tsx";
import { Absent, isAbsent } from "./kinds.tsx";
import { Pairings } from "./pairings.tsx";
import { Health, isNew, State } from "./state.tsx";
import type { ChannelView, InstalledKind, Kind } from "./types.ts";

type SetUpProps =
  | { readonly id: string; readonly kindOfNew?: never }
  /** An account that gets its name here. */
  | { readonly id?: never; readonly kindOfNew: string };

export function SetUp({ id, kindOfNew }: SetUpProps) {
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
                const kind = all.find((one) => one.kind === (kindOfNew ?? channel?.kind ?? id));
                if (kind === undefined) return <p>{t("unknownKind")}</p>;
                if (isAbsent(kind)) return <Absent kind={kind} reload={kinds.reload} />;
                const taken = items.map((one) => one.id);
                return <Form key={id} id={id} kind={kind} channel={channel} taken={taken} reload={channels.reload} />;
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
  /** Undefined: it is a field of the form. */
  readonly id: string | undefined;
  readonly kind: InstalledKind;
  readonly channel: ChannelView | undefined;
  /** Names of those there are. */
  readonly taken: readonly string[];
  readonly reload: () => Promise<void>;
}

function Form({ id, kind, channel, taken, reload }: FormProps) {
  const platform = platformFields(kind);
  const config: Draft = channel?.config ?? {};
  const saved: Draft = {
    ...(id === undefined && { name: freeName(kind.kind, taken) }),
    // How it behaves in groups is no part of this form, and its route takes nothing else.
    ...Object.fromEntries(
      platform.flatMap(({ name }) => (config[name] === undefined ? [] : [[name, config[name]] as const])),
    ),
    operators: channel?.operators ?? [],
    allow: channel?.allow ?? [],
    enabled: channel?.enabled ?? true,
  };
  const [to, setTo] = useState("");
  const [result, setResult] = useState<TestResult | undefined>(undefined);
  const nameOf = ({ name }: Draft): string => id ?? String(name ?? "").trim();
  const bodyOf = ({ name: _name, ...value }: Draft): Draft => {
    const options = withRemovals(saved["options"], value["options"]);
    return { ...value, ...(id === undefined && { kind: kind.kind }), ...(options !== undefined && { options }) };
  };
  const form = useForm<Draft>({
    name: `channels/${id ?? `~new/${kind.kind}`}`,
    saved,
    hash: channel?.hash,
    fields: [
      ...(id === undefined ? [nameField("name", ChannelName, t.find)] : []),
      ...platform,
      ...fieldsOf(ChannelBody, COMMON, t.find),
    ],
    reload,
    changed: (next) => {
      setResult(undefined);
      return next;
    },
    write: async (value, condition) => {
      await api.put(pathOf(nameOf(value)), bodyOf(value), condition);
      setResult(undefined); // that was of the draft
    },
    said: (value) => t("saved", { name: id === undefined ? nameOf(value) : kind.title }),
    ...(id === undefined && { done: (value: Draft) => openPanel(`channels/${nameOf(value)}`) }),
  });
  const test = async (): Promise<void> => {
    const asked = { draft: bodyOf(form.value), ...(to.trim() !== "" && { to: to.trim() }) };
    setResult((await api.post<TestResult>(`${pathOf(nameOf(form.value))}/test`, asked)).body);
  };
  const fault = id === undefined ? nameFault(nameOf(form.value), taken) : undefined;
  const faults = faultsWith(fault, form.faults, nameOf(form.value));
  const loggedIn = async (): Promise<void> => {
    form.draft.discard();
    await reload();
    openPanel(`channels/${nameOf(form.value)}`);
  };
  return (
    <>
      <Head id={id} kind={kind} channel={channel} />
      <Login
        of={kind}
        id={nameOf(form.value)}
        draft={channel === undefined ? bodyOf(form.value) : {}}
        disabled={fault !== undefined}
        done={loggedIn}
      />
      <ResourceForm
        form={{ ...form, faults }}
        ready={fault === undefined}
        actions={
          <Act acting={form.acting} work={test} icon="plug" disabled={fault !== undefined}>
            {t("test")}
          </Act>
        }
      >
        <TextField label={t("testTo")} value={to} onValue={setTo} spellcheck={false} />
        {result !== undefined && <TestSteps result={result} good={t("testOk")} bad={t("testBad")} />}
        {channel?.restart === true && <p class="p-warn">{t("restartWhy")}</p>}
      </ResourceForm>
      {channel !== undefined && <Next channel={channel} />}
    </>
  );
}

/** How it is, and what comes next. */
function Next({ channel }: { readonly channel: ChannelView }) {
  return (
    <>
      <Health channel={channel} />
      {isNew(channel) && <p role="status">{t("nowWrite")}</p>}
      <p>
        <PanelLink to="channels/~groups">{t("toGroups")}</PanelLink>
      </p>
    </>
  );
}

/** The steps, and behind them what else there is to know: paragraphs that begin with a word in bold. */
function Guide({ text, open }: { readonly text: string; readonly open: boolean }) {
  const end = text.search(/^\*\*/m);
  const [steps, more] = end === -1 ? [text, ""] : [text.slice(0, end), text.slice(end)];
  return (
    <>
      <details class="p-card" open={open}>
        <summary>{t("guide")}</summary>
        <Markdown text={steps} />
      </details>
      {more !== "" && (
        <details class="p-card">
          <summary>{t("guideMore")}</summary>
          <Markdown text={more} />
        </details>
      )}
    </>
  );
}

function Head({ id, kind, channel }: Pick<FormProps, "id" | "kind" | "channel">) {
  return (
    <>
      <div class="p-row">
        <h3>{id === undefined ? t("newOf", { name: kind.title }) : kind.title}</h3>
        {channel !== undefined && <State channel={channel} />}
      </div>
      {id !== undefined && id !== kind.kind && <p class="p-faint p-mono">{id}</p>}
      <Guide text={pick(kind.guide)} open={channel === undefined && id !== undefined} />
    </>
  );
}

/** A name is no key: what is wrong with it is said of the whole channel. */
function faultsWith(
  fault: string | undefined,
  faults: ReadonlyMap<string, string>,
  name: string,
): ReadonlyMap<string, string> {
  return new Map([
    ...[...faults].map(([path, text]) => [path === `/channels/${name}` ? "/name" : path, text] as const),
    ...(fault === undefined ? [] : [["/name", fault] as const]),
  ]);
}

/** What its platform needs, beside what every channel has. */
function platformFields({ schema }: InstalledKind): readonly Field[] {
  return readFields(schema).filter(
    ({ name, shape }) =>
      !["enabled", "allow", "allowFrom", "operators"].includes(name) &&
      (shape.is !== "object" || shape.fields.length > 0),
  );
}

function pathOf(name: string): string {
  return `/channels/${encodeURIComponent(name)}`;
}

function freeName(kind: string, taken: readonly string[]): string {
  let n = 2;
  while (taken.includes(`${kind}-${n}`)) n += 1;
  return `${kind}-${n}`;
}

function nameFault(name: string, taken: readonly string[]): string | undefined {
  if (taken.includes(name)) return t("nameTaken");
  return new RegExp(String(ChannelName["pattern"])).test(name) ? undefined : t("nameWrong");
}
