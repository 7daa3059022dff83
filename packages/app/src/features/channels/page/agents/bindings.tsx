/** Bindings: where each agent works. */
import { useState } from "preact/hooks";
import { c } from "../../../../web/texts/panels-common.ts";
import { t } from "./texts.ts";
import { Button } from "../../../../web/ui/button.tsx";
import { toast } from "../../../../web/ui/toast.tsx";
import { Act, Outcome, useAct } from "../../../../web/panel-kit/act.tsx";
import { writeSettings } from "../write-settings.ts";
import { BindingForm } from "./binding-form.tsx";
import type { Binding, Parts } from "./types.ts";

export function Bindings(parts: Parts) {
  const { bindings, people } = parts.view;
  const [adding, setAdding] = useState(false);
  return (
    <section class="stack" aria-label={t("bindings")}>
      <h3>{t("bindings")}</h3>
      <p class="p-help">{t("bindingsWhy")}</p>
      {bindings.length + people.length === 0 ? (
        <p class="muted">{t("noBindings")}</p>
      ) : (
        <ul class="p-cards">
          {bindings.map((binding, index) => (
            <Card
              key={JSON.stringify(binding)}
              {...parts}
              binding={binding}
              index={index}
              without={{ bindings: bindings.filter((one) => one !== binding) }}
            />
          ))}
          {people.map(({ person, agent }) => (
            <Card
              key={person}
              {...parts}
              binding={{ person, agent }}
              without={{ people: { [person]: { agent: null } } }}
            />
          ))}
        </ul>
      )}
      <div>
        <Button icon="plus" aria-expanded={adding} onClick={() => setAdding(!adding)}>
          {t("newBinding")}
        </Button>
      </div>
      {adding && (
        <section class="p-card" aria-label={t("newBindingTitle")}>
          <BindingForm {...parts} binding={undefined} index={bindings.length} done={() => setAdding(false)} />
        </section>
      )}
    </section>
  );
}

interface CardProps extends Parts {
  readonly binding: Binding;
  /** Its place in the settings. Absent: it stands with its person, and is changed by another binding. */
  readonly index?: number;
  /** What the settings are without it. */
  readonly without: object;
}

function Card({ binding, index, without, ...parts }: CardProps) {
  const acting = useAct();
  const [open, setOpen] = useState(false);
  const { view, reload } = parts;
  const remove = async (): Promise<void> => {
    await writeSettings(without, view.hash).finally(reload);
    toast(t("removedBinding"));
  };
  return (
    <li class="p-card" data-binding={binding.agent}>
      <div class="p-row">
        <span class="grow">{placeOf(binding, parts)}</span>
        <strong>{binding.agent}</strong>
      </div>
      <Outcome of={acting} />
      <div class="p-row">
        {index !== undefined && (
          <Button size="small" aria-expanded={open} onClick={() => setOpen(!open)}>
            {c("edit")}
          </Button>
        )}
        <span class="grow" />
        <Act acting={acting} work={remove} size="small" kind="quiet" icon="trash">
          {c("remove")}
        </Act>
      </div>
      {open && index !== undefined && (
        <BindingForm {...parts} binding={binding} index={index} done={() => setOpen(false)} />
      )}
    </li>
  );
}

/** From the whole to its part: channel, chat, thread, person. */
function placeOf({ channel, chat, thread, person }: Binding, { view, people }: Parts): string {
  const title = view.groups.find((one) => one.channel === channel && one.chat === chat)?.title;
  const who =
    person === undefined
      ? undefined
      : person === "owner"
        ? t("you")
        : (people.find((one) => one.person === person)?.name ?? person);
  const parts = [channel, title ?? chat, thread, who].filter((part) => part !== undefined);
  return channel === undefined ? `${parts.join(" · ")} (${t("ofPerson")})` : parts.join(" · ");
}
