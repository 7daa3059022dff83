/** The model: what was found on this machine, a key, or an address. It is saved only after its test passed. */
import type { VNode } from "preact";
import { useEffect, useState } from "preact/hooks";
import type { ActiveModel, ProviderView } from "../../../providers/schema.ts";
import { Button } from "../../../../web/ui/button.tsx";
import { Act, Outcome, useAct } from "../../../../web/panel-kit/act.tsx";
import { api } from "../../../../web/panel-kit/api.ts";
import { Loaded } from "../../../../web/panel-kit/loaded.tsx";
import { useResource, type Resource } from "../../../../web/panel-kit/resource.ts";
import { StepFoot, type StepProps } from "../step.tsx";
import { t } from "../texts.ts";
import { cardsOf, firstListed, FoundCards, type Card, type Detected } from "./found.tsx";
import { Homes } from "./homes.tsx";
import { KeyForm } from "./key-form.tsx";
import { useTrial, type Trying, type Wanted } from "./trial.ts";
import { shortName } from "./verdict.tsx";

type Providers = Resource<readonly ProviderView[]>;

export function ModelStep({ done, back }: StepProps): VNode {
  const active = useResource<ActiveModel>("/models/active");
  const providers = useResource<readonly ProviderView[]>("/providers");
  const acting = useAct();
  const trying = useTrial();
  const { trial } = trying;
  const [taken, setTaken] = useState(0);
  const current = active.data?.chain[0];
  const passed = trial?.result?.ok === true ? trial.wanted : undefined;
  const use = async (): Promise<void> => {
    if (passed !== undefined) await save(passed, providers);
    done();
  };
  return (
    <>
      <p class="welcome-why">{t("modelWhy")}</p>
      <Homes
        onTaken={async () => {
          await Promise.all([active.reload(), providers.reload()]);
          setTaken(taken + 1);
        }}
      />
      <Loaded of={providers}>
        {(list) => <Ways key={taken} providers={list} trying={trying} now={current} isTaken={taken > 0} />}
      </Loaded>
      <Outcome of={acting} />
      <StepFoot back={back}>
        {current === undefined && (
          <Button kind="quiet" title={t("practiceWhy")} onClick={done}>
            {t("practice")}
          </Button>
        )}
        <Act
          acting={acting}
          work={use}
          kind="primary"
          disabled={
            passed === undefined && (current?.missingKey !== undefined || current === undefined || trial !== undefined)
          }
        >
          {passed !== undefined
            ? t("use", { model: shortName(passed.model) })
            : t(current === undefined ? "useNone" : "next")}
        </Act>
      </StepFoot>
    </>
  );
}

interface WaysProps {
  readonly providers: readonly ProviderView[];
  readonly trying: Trying;
  readonly now: ActiveModel["chain"][number] | undefined;
  /** What is set up came just now, from another system: it is tested without a click. */
  readonly isTaken: boolean;
}

/** What was found beside what can be typed. */
function Ways({ providers, trying, now, isTaken }: WaysProps): VNode {
  const found = useResource<Detected>("/providers/detect");
  const [card, setCard] = useState<string | undefined>(undefined);
  const [isOther, setOther] = useState(false);
  const { trial } = trying;
  const take = async (chosen: Card, named: string): Promise<void> => {
    setCard(chosen.id);
    setOther(false);
    trying.clear();
    const { provider, title } = chosen;
    const model = named === "" ? await firstListed(chosen) : named;
    if (model !== undefined) await trying.start({ provider, title, model, draft: {} });
  };
  useEffect(() => {
    const [first] = isTaken ? cardsOf({ env: [], local: [] }, providers, now) : [];
    if (first !== undefined && now !== undefined) void take(first, first.model);
  }, []);
  const type = (): void => {
    setCard(undefined);
    trying.clear();
  };
  return (
    <div class="welcome-two">
      <Loaded of={found}>
        {(data) => (
          <FoundCards
            cards={cardsOf(data, providers, now)}
            ports={providers.filter(({ group }) => group === "local").length}
            chosen={card}
            trial={card === undefined ? undefined : trial}
            onCard={(chosen) => void take(chosen, chosen.model)}
            onModel={(chosen, name) => void take(chosen, name.slice(chosen.provider.length + 1))}
            isOther={isOther}
            onOther={() => {
              setOther(true);
              type();
            }}
            again={() => void found.reload()}
          />
        )}
      </Loaded>
      <KeyForm
        key={String(isOther)}
        providers={providers}
        isOther={isOther}
        trial={card === undefined ? trial : undefined}
        onTest={(wanted) => {
          setCard(undefined);
          void trying.start(wanted);
        }}
        onEdit={type}
      />
    </div>
  );
}

/** What was tested is what is written down: the provider, then the model that answers. */
async function save({ provider, model, draft }: Wanted, providers: Providers): Promise<void> {
  if (Object.keys(draft).length > 0) {
    const saved = providers.data?.find(({ id }) => id === provider);
    await api.put(
      `/providers/${encodeURIComponent(provider)}`,
      draft,
      saved === undefined ? { ifNoneMatch: "*" } : { ifMatch: `"${saved.hash}"` },
    );
  }
  await api.put("/models/active", { model: `${provider}/${model}` });
}
