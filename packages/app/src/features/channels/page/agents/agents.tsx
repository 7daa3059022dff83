/** Agents beside the home itself, and where each of them works. */
import { useState } from "preact/hooks";
import { c } from "../../../../web/texts/panels-common.ts";
import { t } from "./texts.ts";
import { Button } from "../../../../web/ui/button.tsx";
import { toast } from "../../../../web/ui/toast.tsx";
import { Outcome, useAct } from "../../../../web/panel-kit/act.tsx";
import { ConfirmButton } from "../../../../web/panel-kit/confirm.tsx";
import { number } from "../../../../web/panel-kit/format.ts";
import { Empty, Loaded } from "../../../../web/panel-kit/loaded.tsx";
import { useResource } from "../../../../web/panel-kit/resource.ts";
import { writeSettings } from "../write-settings.ts";
import type { Person } from "../types.ts";
import { AgentForm } from "./agent-form.tsx";
import { Bindings } from "./bindings.tsx";
import { readerName } from "./readers.tsx";
import type { Agent, AgentsView, Parts } from "./types.ts";

export function Agents() {
  const agents = useResource<AgentsView>("/agents", "system", "channels");
  const people = useResource<readonly Person[]>("/people", "system");
  return (
    <Loaded of={agents}>
      {(view) => (
        <Loaded of={people}>
          {(persons) => (
            <div class="stack">
              <p class="muted">{t("about")}</p>
              <List view={view} people={persons} reload={agents.reload} />
              {view.agents.length + view.bindings.length + view.people.length > 0 && (
                <Bindings view={view} people={persons} reload={agents.reload} />
              )}
            </div>
          )}
        </Loaded>
      )}
    </Loaded>
  );
}

function List(parts: Parts) {
  const { agents } = parts.view;
  const [adding, setAdding] = useState(false);
  return (
    <>
      <div>
        <Button icon="plus" aria-expanded={adding} onClick={() => setAdding(!adding)}>
          {t("newAgent")}
        </Button>
      </div>
      {adding && (
        <section class="p-card" aria-label={t("newTitle")}>
          <AgentForm {...parts} agent={undefined} done={() => setAdding(false)} />
        </section>
      )}
      {agents.length === 0 ? (
        !adding && <Empty>{t("none")}</Empty>
      ) : (
        <ul class="p-cards">
          {agents.map((agent) => (
            <Card key={agent.name} {...parts} agent={agent} />
          ))}
        </ul>
      )}
    </>
  );
}

function Card({ agent, ...parts }: Parts & { readonly agent: Agent }) {
  const acting = useAct();
  const [open, setOpen] = useState(false);
  const { view, reload } = parts;
  const { name } = agent;
  const n = [...view.bindings, ...view.people].filter((one) => one.agent === name).length;
  const remove = (): void =>
    void acting.run(async () => {
      await writeSettings(without(name, view), view.hash).finally(reload);
      toast(t("removed", { name }));
    });
  return (
    <li class="p-card" data-agent={name}>
      <strong>{name}</strong>
      <p class="p-facts-line">
        {factsOf(agent, parts).map((fact) => (
          <span key={fact}>{fact}</span>
        ))}
      </p>
      <Outcome of={acting} />
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
          text={n === 0 ? t("removeAsk", { name }) : t("removeBound", { name, n })}
          go={remove}
        />
      </div>
      {open && <AgentForm {...parts} agent={agent} done={() => setOpen(false)} />}
    </li>
  );
}

/** It goes with its bindings: what is bound to nobody would be refused. */
function without(name: string, { bindings, people }: AgentsView): object {
  const bound = people.filter(({ agent }) => agent === name);
  return {
    agents: { [name]: null },
    ...(bindings.some(({ agent }) => agent === name) && { bindings: bindings.filter(({ agent }) => agent !== name) }),
    ...(bound.length > 0 && { people: Object.fromEntries(bound.map(({ person }) => [person, { agent: null }])) }),
  };
}

function factsOf(agent: Agent, parts: Parts): readonly string[] {
  const { persona, model, tools, skills, tokensPerDay, own, for: readers = ["owner"] } = agent;
  return [
    ...(persona === undefined ? [] : [persona]),
    ...(model === undefined ? [] : [model]),
    ...(tools === undefined ? [] : [tools.length === 0 ? t("factNoTools") : t("factTools", { n: tools.length })]),
    ...(skills === undefined ? [] : [skills.length === 0 ? t("factNoSkills") : t("factSkills", { n: skills.length })]),
    ...(tokensPerDay === undefined ? [] : [t("factTokens", { n: number(tokensPerDay) })]),
    ...(own === true ? [t("factOwn")] : []),
    t("factFor", { names: readers.map((one) => readerName(one, parts)).join(t("comma")) }),
  ];
}
