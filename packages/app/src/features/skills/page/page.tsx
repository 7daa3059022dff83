/** Skills: what there is and what each needs; one of them open; a new one. */
import { useState } from "preact/hooks";
import type { z } from "zod";
import type { SkillList } from "../schema.ts";
import { t } from "./texts.ts";
import { Select } from "../../../web/ui/field.tsx";
import { Icon } from "../../../web/ui/icon.tsx";
import { short } from "../../../web/panel-kit/format.ts";
import { PanelLink } from "../../../web/panel-kit/go.tsx";
import { Empty, Loaded } from "../../../web/panel-kit/loaded.tsx";
import type { PanelProps } from "../../../web/panel-kit/panel.ts";
import { useResource } from "../../../web/panel-kit/resource.ts";
import { SkillDetailView } from "./detail.tsx";
import { Bring } from "./bring.tsx";
import { NewSkill } from "./new.tsx";
import { Missing, TONES, type Skill } from "./state.tsx";

const FILTERS = ["all", "ready", "missing", "unapproved", "off"] as const;
type Filter = (typeof FILTERS)[number];

export function SkillsPage({ rest }: PanelProps) {
  if (rest === undefined) return <Overview />;
  if (rest === "~bring") return <Bring />;
  // No skill can have this name: a tilde is not allowed in one.
  return rest === "~new" ? <NewSkill /> : <SkillDetailView key={rest} name={rest} />;
}

function Overview() {
  const skills = useResource<z.infer<typeof SkillList>>("/skills", "system");
  const [filter, setFilter] = useState<Filter>("all");
  return (
    <Loaded of={skills}>
      {({ items }) => {
        const shown = items.filter((skill) => fits(skill, filter));
        return (
          <div class="stack">
            <div class="p-row p-bottom">
              <PanelLink to="skills/~new" class="button primary">
                <Icon name="plus" />
                {t("new")}
              </PanelLink>
              <PanelLink to="skills/~bring" class="button">
                <Icon name="upload" />
                {t("bring")}
              </PanelLink>
              <span class="grow" />
              <Select
                label={t("filter")}
                value={filter}
                onValue={(value) => setFilter(FILTERS.find((one) => one === value) ?? "all")}
                options={FILTERS.map((value) => ({ value, label: t(`filter_${value}`) }))}
              />
            </div>
            {shown.length === 0 && <Empty>{t("none")}</Empty>}
            <ul class="p-cards">
              {shown.map((skill) => (
                <li key={`${skill.source} ${skill.name}`} class="p-card" data-skill={skill.name}>
                  <div class="p-row">
                    <PanelLink to={`skills/${skill.name}`} class="p-title grow">
                      {skill.name}
                    </PanelLink>
                    <span class={`badge ${TONES[skill.state]}`}>{t(`state_${skill.state}`)}</span>
                  </div>
                  <p class="p-clip">{skill.description}</p>
                  <p class="p-facts-line">
                    <span>{t(`source_${skill.source}`)}</span>
                    {skill.always && <span class="badge accent">{t("always")}</span>}
                    <span>{t("tokens", { n: short(skill.tokens) })}</span>
                  </p>
                  <Missing skill={skill} />
                  {skill.reason !== undefined && <p class="p-error">{skill.reason}</p>}
                </li>
              ))}
            </ul>
          </div>
        );
      }}
    </Loaded>
  );
}

function fits(skill: Skill, filter: Filter): boolean {
  if (filter === "all") return true;
  if (filter === "unapproved") return skill.state === "unapproved" || skill.state === "suspended";
  return skill.state === filter;
}
