/** A new agent, or another manner of one there is. */
import type { z } from "zod";
import AgentBody from "virtual:form/people/schema.ts#AgentBody";
import AgentName from "virtual:form/people/schema.ts#AgentName";
import type { AgentBody as Body, AgentName as Name } from "../../../people/schema.ts";
import type { PersonaList } from "../../../personas/schema.ts";
import { t } from "./texts.ts";
import { Select, TextArea } from "../../../../web/ui/field.tsx";
import { fieldsOf, nameField } from "../../../../web/ui/form-shape.ts";
import type { OwnControls } from "../../../../web/ui/schema-form.tsx";
import { ModelField } from "../../../../web/models/model-field.tsx";
import { faultsOf, type Problem } from "../../../../web/panel-kit/api.ts";
import { ResourceForm, useForm } from "../../../../web/panel-kit/resource-form.tsx";
import { useResource } from "../../../../web/panel-kit/resource.ts";
import { writeSettings } from "../write-settings.ts";
import { ReadersField } from "./readers.tsx";
import type { Agent, Parts } from "./types.ts";

const FIELDS = ["persona", "model", "tools", "skills", "tokensPerDay", "own", "for"] as const;

type Draft = z.infer<typeof Body> & { readonly name: z.infer<typeof Name> };

interface Props extends Parts {
  /** Undefined: a new one. */
  readonly agent: Agent | undefined;
  readonly done: () => void;
}

export function AgentForm({ agent, done, ...parts }: Props) {
  const { view, reload } = parts;
  const personas = useResource<z.infer<typeof PersonaList>>("/personas");
  const form = useForm<Draft>({
    name: `agents/${agent?.name ?? "~new"}`,
    saved: { for: ["owner"], ...(agent ?? { name: "" }) },
    hash: agent && JSON.stringify(agent),
    fields: [
      ...(agent === undefined ? [nameField("name", AgentName, t.find)] : []),
      ...fieldsOf(AgentBody, FIELDS, t.find),
    ],
    reload,
    write: async ({ name, ...value }) => writeSettings({ agents: { [name.trim()]: patchOf(value) } }, view.hash),
    said: ({ name }) => t("saved", { name }),
    done: async () => {
      await reload();
      done();
    },
  });
  const name = form.value.name.trim();
  const isTaken = agent === undefined && view.agents.some((one) => one.name === name);
  const faults = new Map([
    ...faultsHere(name, form.acting.problem),
    ...(isTaken ? [["/name", t("nameTaken")] as const] : []),
  ]);
  const own: OwnControls = {
    persona: ({ value, fault, onChange }) => (
      <Select
        label={t("persona")}
        hint={t("personaWhy")}
        fault={fault}
        value={textOf(value)}
        onValue={(id) => onChange(id === "" ? undefined : id)}
        options={[
          { value: "", label: t("ofHome") },
          ...withOwn(personas.data?.items ?? [], textOf(value)).map((one) => ({ value: one.id, label: one.name })),
        ]}
      />
    ),
    model: ({ value, fault, onChange }) => (
      <ModelField
        label={t("model")}
        value={textOf(value)}
        none={t("ofHome")}
        fault={fault}
        onValue={(model) => onChange(model === "" ? undefined : model)}
      />
    ),
    tools: (control) => <Patterns name="tools" {...control} />,
    skills: (control) => <Patterns name="skills" {...control} />,
    for: (control) => <ReadersField {...parts} {...control} />,
  };
  return <ResourceForm form={{ ...form, faults }} own={own} ready={name !== "" && !isTaken} />;
}

/** What was left out is the home's: it is taken out of the file. */
function patchOf({ persona, model, tools, skills, tokensPerDay, own, for: readers }: Omit<Draft, "name">): object {
  return {
    persona: persona ?? null,
    model: model ?? null,
    tools: tools ?? null,
    skills: skills ?? null,
    budget: tokensPerDay === undefined ? null : { tokensPerDay },
    workspace: own === true ? "own" : null,
    for: readers ?? ["owner"], // an agent of which nothing is said is none
  };
}

/** The name of an agent is no key, and whom it is not for is told at the binding. */
function faultsHere(name: string, problem: Problem | undefined): ReadonlyMap<string, string> {
  const ofReaders = problem?.errors?.find(({ code }) => code === "notFor");
  return new Map([
    ...[...faultsOf(problem)].map(([path, text]) => [path === `/agents/${name}` ? "/name" : path, text] as const),
    ...(ofReaders === undefined ? [] : [["/for", ofReaders.message] as const]),
  ]);
}

interface PatternsProps {
  readonly name: "tools" | "skills";
  readonly value: unknown;
  readonly fault: string | undefined;
  readonly onChange: (value: readonly string[] | undefined) => void;
}

/** All, none, or a list of them. */
function Patterns({ name, value, fault, onChange }: PatternsProps) {
  const list: readonly string[] | undefined = Array.isArray(value) ? value.map(String) : undefined;
  const which = list === undefined ? "all" : list.length === 0 ? "none" : "some";
  return (
    <>
      <Select
        label={t(name)}
        hint={t(`${name}Why`)}
        fault={which === "some" ? undefined : fault}
        value={which}
        onValue={(next) => onChange(next === "all" ? undefined : next === "none" ? [] : [""])}
        options={[
          { value: "all", label: t("listAll") },
          { value: "some", label: t("listSome") },
          { value: "none", label: t("listNone") },
        ]}
      />
      {which === "some" && (
        <TextArea
          label={t(`patterns_${name}`)}
          rows={3}
          spellcheck={false}
          fault={fault}
          value={(list ?? []).join("\n")}
          onValue={(text) => onChange(text.split("\n"))}
        />
      )}
    </>
  );
}

function textOf(value: unknown): string {
  return typeof value === "string" ? value : "";
}

/** One that is gone is shown as what it is called. */
function withOwn(personas: readonly { readonly id: string; readonly name: string }[], chosen: string) {
  return chosen === "" || personas.some(({ id }) => id === chosen)
    ? personas
    : [...personas, { id: chosen, name: chosen }];
}
