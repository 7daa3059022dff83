/** Names and persona, with one answer to hear how it sounds. */
import { useState } from "preact/hooks";
import { t } from "./texts.ts";
import { TextField } from "../../../web/ui/field.tsx";
import { Button } from "../../../web/ui/button.tsx";
import { Act, Outcome, useAct } from "../../../web/panel-kit/act.tsx";
import { api } from "../../../web/panel-kit/api.ts";
import { money } from "../../../web/panel-kit/format.ts";
import { Loaded } from "../../../web/panel-kit/loaded.tsx";
import { useResource } from "../../../web/panel-kit/resource.ts";
import type { z } from "zod";
import type { PersonaPreview, PersonaSchema } from "../../personas/schema.ts";
import { StepFoot, type StepProps } from "./step.tsx";
import { saveSettings } from "./save.ts";

type Persona = z.infer<typeof PersonaSchema>;
type Preview = z.infer<typeof PersonaPreview>;

interface Names {
  readonly name: string;
  readonly userName: string | null;
  readonly userAddress: string | null;
  readonly preset: string | null;
}

export function NamesStep(props: StepProps) {
  const settings = useResource<{ readonly values: { readonly persona: Names } }>("/settings");
  return <Loaded of={settings}>{({ values }) => <Form names={values.persona} {...props} />}</Loaded>;
}

function Form({ names, done, back }: StepProps & { readonly names: Names }) {
  const personas = useResource<{ readonly items: readonly Persona[] }>("/personas");
  const [name, setName] = useState(names.name);
  const [userName, setUserName] = useState(names.userName ?? "");
  const [address, setAddress] = useState(names.userAddress ?? "");
  const [preset, setPreset] = useState(names.preset ?? "");
  const acting = useAct();
  const save = async (): Promise<void> => {
    const text = (value: string): string | null => (value.trim() === "" ? null : value.trim());
    await saveSettings({
      persona: { name: text(name), userName: text(userName), userAddress: text(address), preset: text(preset) },
    });
    done();
  };
  return (
    <>
      <div class="welcome-three">
        <TextField label={t("agentName")} value={name} onValue={setName} maxLength={100} />
        <TextField label={t("userName")} value={userName} onValue={setUserName} maxLength={100} autocomplete="name" />
        <TextField label={t("address_user")} value={address} onValue={setAddress} maxLength={100} />
      </div>
      <Personas all={personas.data?.items ?? []} chosen={preset} onChoose={setPreset} />
      <Outcome of={acting} />
      <StepFoot back={back}>
        <Button kind="quiet" onClick={done}>
          {t("skip")}
        </Button>
        <Act acting={acting} work={save} kind="primary">
          {t("next")}
        </Act>
      </StepFoot>
    </>
  );
}

interface PersonasProps {
  readonly all: readonly Persona[];
  /** Empty: none. */
  readonly chosen: string;
  readonly onChoose: (id: string) => void;
}

/** What each is like stands beside its name; one answer in its voice is a click, and a request that costs. */
function Personas({ all, chosen, onChoose }: PersonasProps) {
  const [heard, setHeard] = useState<Preview | undefined>(undefined);
  const acting = useAct();
  const hear = async (): Promise<void> => {
    setHeard(
      (await api.post<Preview>(`/personas/${encodeURIComponent(chosen)}/preview`, { message: t("previewAsk") })).body,
    );
  };
  const rows = [
    { id: "", name: t("personaNone"), description: t("personaNoneWhy") },
    ...all.map(({ id, name, description }) => ({ id, name, description })),
  ];
  return (
    <fieldset class="welcome-personas">
      <legend>{t("persona")}</legend>
      {rows.map(({ id, name, description }) => (
        <label key={id} class="welcome-choice" data-chosen={id === chosen}>
          <input
            type="radio"
            name="persona"
            checked={id === chosen}
            onChange={() => {
              onChoose(id);
              setHeard(undefined);
            }}
          />
          <span class="grow">
            <strong>{name}</strong>
            <span class="welcome-note">{description}</span>
          </span>
        </label>
      ))}
      {chosen !== "" && (
        <div>
          <Act acting={acting} work={hear} icon="play">
            {t("preview")}
          </Act>
        </div>
      )}
      <div role="status">
        {heard !== undefined && (
          <blockquote class="p-quote">
            <p>{heard.text}</p>
            <p class="p-faint">{t("previewCost", { cost: money(heard.costUsd) })}</p>
          </blockquote>
        )}
      </div>
      <Outcome of={acting} />
    </fieldset>
  );
}
