/** Persons: who has a room of their own here, and by which identities they are known. */
import { useState } from "preact/hooks";
import type { z } from "zod";
import PersonBody from "virtual:form/people/schema.ts#PersonBody";
import PersonName from "virtual:form/people/schema.ts#PersonName";
import type { PersonBody as Body, PersonName as Name } from "../../people/schema.ts";
import { c } from "../../../web/texts/panels-common.ts";
import { Invitation } from "./invitation.tsx";
import { t } from "./texts.ts";
import { Button } from "../../../web/ui/button.tsx";
import { fieldsOf, nameField } from "../../../web/ui/form-shape.ts";
import { toast } from "../../../web/ui/toast.tsx";
import { Outcome, useAct } from "../../../web/panel-kit/act.tsx";
import { api } from "../../../web/panel-kit/api.ts";
import { ConfirmButton } from "../../../web/panel-kit/confirm.tsx";
import { number } from "../../../web/panel-kit/format.ts";
import { Loaded } from "../../../web/panel-kit/loaded.tsx";
import { ResourceForm, useForm } from "../../../web/panel-kit/resource-form.tsx";
import { useResource } from "../../../web/panel-kit/resource.ts";
import type { Budgets, Person, Spent } from "./types.ts";

export function Persons() {
  const people = useResource<readonly Person[]>("/people", "channels", "system");
  const budgets = useResource<Budgets>("/budgets", "usage", "channels", "system");
  const [adding, setAdding] = useState(false);
  return (
    <section class="stack" aria-label={t("persons")}>
      <h3>{t("persons")}</h3>
      <p class="p-help">{t("personsWhy")}</p>
      <Loaded of={people}>
        {(items) => (
          <>
            {items.length > 0 && (
              <ul class="p-cards">
                {items.map((person) => (
                  <Card
                    key={person.person}
                    person={person}
                    spent={budgets.data?.people.find((one) => one.person === person.person)}
                    reload={people.reload}
                  />
                ))}
              </ul>
            )}
            <div>
              <Button icon="plus" aria-expanded={adding} onClick={() => setAdding(!adding)}>
                {t("newPerson")}
              </Button>
            </div>
            {adding && (
              <section class="p-card" aria-label={t("newPerson")}>
                <PersonForm person={undefined} reload={people.reload} done={() => setAdding(false)} />
              </section>
            )}
          </>
        )}
      </Loaded>
    </section>
  );
}

interface Props {
  readonly person: Person;
  readonly reload: () => Promise<void>;
}

function Card({ person: view, spent, reload }: Props & { readonly spent: Spent | undefined }) {
  const acting = useAct();
  const [open, setOpen] = useState(false);
  const { person, name = person, role, ids, hash } = view;
  const remove = (): void =>
    void acting.run(async () => {
      await api.delete(pathOf(person), { ifMatch: `"${hash}"` });
      toast(t("personRemoved", { name }));
      await reload();
    });
  return (
    <li class="p-card" data-person={person}>
      <div class="p-row">
        <strong class="grow">{name}</strong>
        <span class="badge">{t(`role_${role}`)}</span>
      </div>
      <p class="p-facts-line">
        {name !== person && <code>{person}</code>}
        {ids.length === 0 ? <span>{t("noIdentity")}</span> : ids.map((id) => <code key={id}>{id}</code>)}
        {spent !== undefined && (
          <span class={spent.spent.tokens >= spent.tokens ? "p-warn" : ""}>
            {t("personSpent", { n: number(spent.spent.tokens), of: number(spent.tokens) })}
          </span>
        )}
      </p>
      <p class="p-faint">{t(`reads_${role}`)}</p>
      <Outcome of={acting} />
      {role === "member" && <Invitation path={pathOf(person)} />}
      <div class="p-row">
        <Button size="small" aria-expanded={open} onClick={() => setOpen(!open)}>
          {c("edit")}
        </Button>
        <span class="grow" />
        <ConfirmButton
          size="small"
          kind="quiet"
          icon="trash"
          verb={c("remove")}
          text={t("personAsk", { name })}
          go={remove}
        />
      </div>
      {open && <PersonForm person={view} reload={reload} done={() => setOpen(false)} />}
    </li>
  );
}

type Draft = z.infer<typeof Body> & { readonly person: z.infer<typeof Name> };

interface FormProps extends Pick<Props, "reload"> {
  /** Undefined: somebody new. */
  readonly person: Person | undefined;
  readonly done: () => void;
}

function PersonForm({ person: view, reload, done }: FormProps) {
  const { hash, ...saved } = view ?? {
    person: "",
    role: "member" as const,
    ids: [],
    supervised: false,
    hash: undefined,
  };
  const form = useForm<Draft>({
    name: `people/${view?.person ?? "~new"}`,
    saved,
    hash,
    fields: [
      ...(view === undefined ? [nameField("person", PersonName, find)] : []),
      ...fieldsOf(PersonBody, ["name", "role", "ids", "tokensPerDay", "timeZone", "quietHours", "supervised"], find),
    ],
    reload,
    write: async ({ person, name = null, tokensPerDay = null, timeZone = null, quietHours = null, ...rest }, on) =>
      void (await api.put(pathOf(person.trim()), { name, tokensPerDay, timeZone, quietHours, ...rest }, on)),
    said: ({ person, name }) => t("personSaved", { name: name ?? person }),
    done: async () => {
      await reload();
      done();
    },
  });
  // That an identity is somebody else's is told where theirs stands.
  const twice = form.acting.problem?.errors?.find(({ code }) => code === "twice");
  const faults = twice === undefined ? form.faults : new Map([...form.faults, ["/ids", twice.message] as const]);
  return <ResourceForm form={{ ...form, faults }} ready={form.value.person.trim() !== ""} />;
}

/** The catalog of the page has other things under these names. */
function find(key: string): string | undefined {
  return t.find(`of_${key}`) ?? t.find(key);
}

function pathOf(person: string): string {
  return `/people/${encodeURIComponent(person)}`;
}
