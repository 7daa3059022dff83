/** The home of a program that did this work before: what of it would come is shown, and one click takes it over. */
import type { VNode } from "preact";
import { useState } from "preact/hooks";
import type { FoundHomes, HomePlan } from "../../../import-home/schema.ts";
import { Button } from "../../../../web/ui/button.tsx";
import { Icon } from "../../../../web/ui/icon.tsx";
import { Act, Outcome, useAct } from "../../../../web/panel-kit/act.tsx";
import { lifeNow, untilAgain } from "../again.ts";
import { api } from "../../../../web/panel-kit/api.ts";
import { useResource } from "../../../../web/panel-kit/resource.ts";
import { t } from "../texts.ts";

const PROGRAMS = { nanobot: "nanobot", countbot: "CountBot", openclaw: "OpenClaw" } as const;
const AREAS = ["session", "memory", "job", "skill", "workspace", "config", "other"] as const;

/** @param onTaken The models and providers may be others now. */
export function Homes({ onTaken }: { readonly onTaken: () => Promise<void> }): VNode | null {
  const homes = useResource<FoundHomes>("/imports/homes");
  const items = homes.data?.items ?? [];
  if (items.length === 0) return null;
  return (
    <div class="stack">
      {items.map((home) => (
        <Home key={home.path} home={home} onTaken={onTaken} />
      ))}
    </div>
  );
}

interface HomeProps {
  readonly home: FoundHomes["items"][number];
  readonly onTaken: () => Promise<void>;
}

function Home({ home: { kind, path }, onTaken }: HomeProps): VNode {
  const acting = useAct();
  const [plan, setPlan] = useState<HomePlan | undefined>(undefined);
  const [state, setState] = useState<"found" | "taking" | "taken">("found");
  const [fault, setFault] = useState<string | undefined>(undefined);
  const look = async (): Promise<void> => setPlan((await api.post<HomePlan>("/imports/plan", { path })).body);
  const take = async (): Promise<void> => {
    setFault(undefined);
    const life = await lifeNow();
    setPlan((await api.post<HomePlan>("/imports", { path })).body);
    setState("taking");
    const isBack = await untilAgain(life);
    const why = isBack ? (await api.get<FoundHomes>("/imports/homes")).body.fault : t("movedNot");
    setFault(why);
    setState(why === undefined ? "taken" : "found");
    await onTaken();
  };
  const isEmpty = plan !== undefined && AREAS.every((area) => plan.takes[area] === 0);
  return (
    <section class="welcome-home" aria-label={t("homeFound", { program: PROGRAMS[kind] })}>
      <Icon name={state === "taken" ? "check" : "archive"} />
      <div class="grow stack">
        <p>
          <strong>{t("homeFound", { program: PROGRAMS[kind] })}</strong>
          <span class="welcome-note">{t("homeWhy", { path })}</span>
        </p>
        <div role="status">
          {state === "taking" && <p>{t("homeTaking")}</p>}
          {state === "taken" && <p>{t("homeTaken", { path })}</p>}
          {fault !== undefined && <p class="warn-ink">{t("homeFault", { why: fault })}</p>}
          {plan !== undefined && <Taken plan={plan} isEmpty={isEmpty} />}
        </div>
        <Outcome of={acting} />
        {state === "found" && (
          <div class="p-row">
            {plan === undefined && (
              <Act acting={acting} work={look}>
                {t("homeLook")}
              </Act>
            )}
            {!isEmpty && (
              <Act acting={acting} work={take} icon="download">
                {t("homeTake")}
              </Act>
            )}
          </div>
        )}
        {state === "taking" && <Button busy>{t("homeTake")}</Button>}
      </div>
    </section>
  );
}

function Taken({ plan, isEmpty }: { readonly plan: HomePlan; readonly isEmpty: boolean }): VNode {
  const { takes, leftOut, more, path } = plan;
  const parts = AREAS.filter((area) => takes[area] > 0).map((area) => t(`takes_${area}`, { n: takes[area] }));
  return (
    <>
      <p>{isEmpty ? t("homeNothing") : parts.join(" · ")}</p>
      {leftOut.length > 0 && (
        <details>
          <summary>{t("homeLeft", { n: leftOut.length })}</summary>
          <ul class="p-bullets">
            {leftOut.map(({ from, reason }) => (
              <li key={`${from} ${reason}`}>
                <code>{from}</code> {reason}
              </li>
            ))}
            {more && <li>{t("homeMore", { path })}</li>}
          </ul>
        </details>
      )}
    </>
  );
}
