/** A persona of one's own: name, traits, way of speaking, or free text instead. */
import type { VNode } from "preact";
import type { z } from "zod";
import PersonaCreate from "virtual:form/personas/schema.ts#PersonaCreate";
import type { PersonaCreate as Create } from "../schema.ts";
import { c } from "../../../web/texts/panels-common.ts";
import { t } from "./texts.ts";
import { undoable } from "../../../web/ui/toast.tsx";
import { fieldsOf } from "../../../web/ui/form-shape.ts";
import { Act } from "../../../web/panel-kit/act.tsx";
import { api } from "../../../web/panel-kit/api.ts";
import { ResourceForm, useForm } from "../../../web/panel-kit/resource-form.tsx";
import type { Persona } from "./types.ts";

interface Props {
  readonly persona: Persona | undefined;
  /** Somebody else saved meanwhile: what they saved. */
  readonly reload: () => Promise<void>;
  readonly done: () => Promise<void>;
}

type Draft = z.infer<typeof Create>;

const TEXTS = ["name", "description", "traits", "style", "custom"] as const;

export function PersonaForm({ persona, reload, done }: Props): VNode {
  const form = useForm<Draft>({
    name: `personas/${persona?.id ?? "~new"}`,
    saved: read(persona),
    hash: persona?.hash,
    fields: fieldsOf(PersonaCreate, persona === undefined ? ["id", ...TEXTS] : TEXTS, t.find),
    reload,
    write: async ({ id, ...texts }, condition) => {
      if (persona === undefined) await api.post("/personas", { id, ...texts });
      else await api.put(`/personas/${encodeURIComponent(id)}`, texts, condition);
    },
    said: ({ name }) => t("saved", { name }),
    done,
  });
  const { id, name } = form.value;
  return (
    <ResourceForm
      form={form}
      ready={id !== "" && name.trim() !== ""}
      actions={
        persona !== undefined && (
          <Act acting={form.acting} work={() => remove(persona, done, form.acting.run)} kind="danger">
            {c("delete")}
          </Act>
        )
      }
    />
  );
}

type Run = (work: () => Promise<unknown>) => Promise<boolean>;

async function remove(persona: Persona, done: Props["done"], run: Run): Promise<void> {
  await api.delete(`/personas/${encodeURIComponent(persona.id)}`, { ifMatch: `"${persona.hash}"` });
  const again = (): Promise<void> => api.post("/personas", read(persona)).then(done);
  undoable(t("deleted", { name: persona.name }), () => void run(again));
  await done();
}

function read(persona: Persona | undefined): Draft {
  if (persona === undefined) return { id: "", name: "", description: "", traits: [], style: "" };
  const { id, name, description, traits, style, custom } = persona;
  return { id, name, description, traits, style, ...(custom !== undefined && { custom }) };
}
