/** One binding: which agent, and for which channel, chat, thread, person. */
import { useId } from "preact/hooks";
import type { z } from "zod";
import BindingBody from "virtual:form/people/schema.ts#BindingBody";
import type { BindingBody as Body } from "../../../people/schema.ts";
import { t } from "./texts.ts";
import { Field, Select } from "../../../../web/ui/field.tsx";
import { fieldsOf } from "../../../../web/ui/form-shape.ts";
import type { OwnControls } from "../../../../web/ui/schema-form.tsx";
import { faultsOf, type Problem } from "../../../../web/panel-kit/api.ts";
import { ResourceForm, useForm } from "../../../../web/panel-kit/resource-form.tsx";
import { useResource } from "../../../../web/panel-kit/resource.ts";
import { writeSettings } from "../write-settings.ts";
import type { ChannelView, Contact } from "../types.ts";
import type { Binding, Parts } from "./types.ts";

type Draft = z.infer<typeof Body>;

interface Props extends Parts {
  /** Undefined: a new one. */
  readonly binding: Binding | undefined;
  /** Its place among the bindings. */
  readonly index: number;
  readonly done: () => void;
}

export function BindingForm({ binding, index, done, ...parts }: Props) {
  const { view, people, reload } = parts;
  const channels = useResource<readonly ChannelView[]>("/channels", "channels");
  const form = useForm<Draft>({
    name: `bindings/${binding === undefined ? "~new" : JSON.stringify(binding)}`,
    saved: binding ?? { agent: view.agents[0]?.name ?? "" },
    hash: binding && JSON.stringify(binding),
    fields: fieldsOf(BindingBody, ["agent", "channel", "chat", "thread", "person"], t.find),
    reload,
    // What is part of a whole that is not said asks for nothing.
    changed: ({ channel, chat, thread, ...rest }) => ({
      ...rest,
      ...(channel !== undefined && { channel }),
      ...(channel !== undefined && chat !== undefined && { chat }),
      ...(channel !== undefined && chat !== undefined && thread !== undefined && { thread }),
    }),
    write: async (value) => writeSettings({ bindings: view.bindings.toSpliced(index, 1, value) }, view.hash),
    said: () => t("saidBinding"),
    done: async () => {
      await reload();
      done();
    },
  });
  const { channel, chat, person, agent } = form.value;
  const own: OwnControls = {
    agent: choice("agent", [
      { value: "main", label: t("main") },
      ...view.agents.map(({ name }) => ({ value: name, label: name })),
    ]),
    channel: choice("channel", [
      { value: "", label: t("anyChannel") },
      ...namesOf(channels.data?.map(({ id }) => id) ?? [], channel).map((id) => ({ value: id, label: id })),
    ]),
    person: choice("person", [
      { value: "", label: t("anyPerson") },
      { value: "owner", label: t("you") },
      ...people.map((one) => ({ value: one.person, label: one.name ?? one.person })),
    ]),
    chat: ({ value, fault, onChange }) =>
      channel !== undefined && (
        <ChatField view={view} channel={channel} value={String(value ?? "")} fault={fault} onChange={onChange} />
      ),
    ...(chat === undefined && { thread: () => false }),
  };
  const faults = faultsHere(form.acting.problem);
  const isWhole = agent !== "" && (channel !== undefined || person !== undefined);
  return <ResourceForm form={{ ...form, faults }} own={own} ready={isWhole} />;
}

/** What is wrong with a binding as a whole is said at its agent. */
function faultsHere(problem: Problem | undefined): ReadonlyMap<string, string> {
  return new Map(
    [...faultsOf(problem)].map(([path, text]) => [/^\/bindings\/\d+$/.test(path) ? "/agent" : path, text] as const),
  );
}

interface Option {
  readonly value: string;
  readonly label: string;
}

function choice(name: "agent" | "channel" | "person", options: readonly Option[]): OwnControls[string] {
  return ({ value, fault, onChange }) => (
    <Select
      label={t(name)}
      fault={fault}
      value={String(value ?? "")}
      onValue={(next) => onChange(next === "" ? undefined : next)}
      options={options}
    />
  );
}

/** One that is gone is still what the binding says. */
function namesOf(names: readonly string[], chosen: string | undefined): readonly string[] {
  return chosen === undefined || names.includes(chosen) ? names : [...names, chosen];
}

interface ChatProps extends Pick<Parts, "view"> {
  readonly channel: string;
  readonly value: string;
  readonly fault: string | undefined;
  readonly onChange: (value: string | undefined) => void;
}

/** Any id, and those that are known to choose from. */
function ChatField({ view, channel, value, fault, onChange }: ChatProps) {
  const contacts = useResource<readonly Contact[]>("/contacts", "channels");
  const list = useId();
  const known = [
    ...view.groups.filter((one) => one.channel === channel).map(({ chat, title }) => [chat, title] as const),
    ...(contacts.data ?? [])
      .filter((one) => one.channel === channel)
      .map(({ sender, name, person }) => [sender, name ?? person] as const),
  ];
  return (
    <Field label={t("chat")} hint={t("chatWhy")} fault={fault}>
      {(control) => (
        <>
          <input
            {...control}
            class="input"
            type="text"
            list={list}
            spellcheck={false}
            maxLength={300}
            value={value}
            onInput={({ currentTarget: { value: next } }) => onChange(next === "" ? undefined : next)}
          />
          <datalist id={list}>
            {known.map(([id, name]) => (
              <option key={id} value={id}>
                {name ?? id}
              </option>
            ))}
          </datalist>
        </>
      )}
    </Field>
  );
}
