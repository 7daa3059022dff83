/** A new webhook: name, signature, what the agent is asked, where the answer goes. */
import type { VNode } from "preact";
import type { z } from "zod";
import HookBody from "virtual:form/hooks/schema.ts#HookBody";
import HookName from "virtual:form/hooks/schema.ts#HookName";
import type { HookBody as Body, HookSaved } from "../schema.ts";
import { t } from "./texts.ts";
import { Select } from "../../../web/ui/field.tsx";
import { fieldsOf, nameField } from "../../../web/ui/form-shape.ts";
import type { OwnControls } from "../../../web/ui/schema-form.tsx";
import { AgentField } from "../../../web/models/agent-field.tsx";
import { api } from "../../../web/panel-kit/api.ts";
import { ResourceForm, useForm } from "../../../web/panel-kit/resource-form.tsx";

interface Props {
  /** With the secret that was made, shown once. */
  readonly done: (generated: string | undefined) => Promise<void>;
}

type Draft = z.infer<typeof Body> & { readonly name: string };

const NEW: Draft = { name: "", scheme: "standard", prompt: "{{body}}", session: "own", deliver: [] };
const FIELDS = ["scheme", "secret", "prompt", "session", "deliver", "agent", "filter", "budgetUsdPerDay"] as const;

/** The signatures of services and the two ways to keep a chat; others are written in `config.json`. */
const OWN: OwnControls = {
  scheme: ({ value, onChange }) => choice("scheme", ["standard", "github", "slack"], value, onChange),
  session: ({ value, onChange }) => choice("session", ["own", "fresh"], value, onChange),
  agent: ({ value, fault, onChange }) => (
    <AgentField
      label={t("agent")}
      hint={t("agentWhy")}
      bound={t("agentBound")}
      main={t("agentMain")}
      value={typeof value === "string" ? value : ""}
      fault={fault}
      onValue={(agent) => onChange(agent === "" ? undefined : agent)}
    />
  ),
};

export function HookForm({ done }: Props): VNode {
  const form = useForm<Draft, string | undefined>({
    name: "security/hook/~new",
    saved: NEW,
    hash: undefined,
    fields: [nameField("name", HookName, t.find), ...fieldsOf(HookBody, FIELDS, t.find)],
    write: async ({ name, ...body }, condition) => {
      const saved = await api.put<z.infer<typeof HookSaved>>(`/hooks/${encodeURIComponent(name)}`, body, condition);
      return saved.body.generated;
    },
    done: (_draft, generated) => done(generated),
  });
  const { name, prompt = "" } = form.value;
  return (
    <div class="p-card">
      <ResourceForm form={form} own={OWN} ready={name !== "" && prompt.trim() !== ""} verb={t("create")} />
    </div>
  );
}

function choice(
  name: "scheme" | "session",
  values: readonly string[],
  value: unknown,
  onChange: (value: string) => void,
): VNode {
  return (
    <Select
      label={t(name)}
      value={String(value)}
      onValue={onChange}
      options={values.map((one) => ({ value: one, label: t.find(`${name}_${one}`) ?? one }))}
    />
  );
}
