/** Names and persona, with one answer to hear how it sounds. */
import { useState } from "preact/hooks";
import { t } from "./texts.ts";
import { Select, TextField } from "../../../web/ui/field.tsx";
import { Button } from "../../../web/ui/button.tsx";
import { Act, Outcome, useAct } from "../../../web/panel-kit/act.tsx";
import { api } from "../../../web/panel-kit/api.ts";
import { money } from "../../../web/panel-kit/format.ts";
import { Loaded } from "../../../web/panel-kit/loaded.tsx";
import { useResource } from "../../../web/panel-kit/resource.ts";
import type { z } from "zod";
import type { PersonaPreview, PersonaSchema } from "../../personas/schema.ts";
import type { StepProps } from "./step.ts";
import { saveSettings } from "./save.ts";

type Persona = z.infer<typeof PersonaSchema>;
type Preview = z.infer<typeof PersonaPreview>;

interface Names {
  readonly name: string;
  readonly userName: string | null;
  readonly userAddress: string | null;
  readonly preset: string | null;
}

export function NamesStep({ done }: StepProps) {
  const settings = useResource<{ readonly values: { readonly persona: Names } }>("/settings");
  return <Loaded of={settings}>{({ values }) => <Form names={values.persona} done={done} />}</Loaded>;
}

function Form({ names, done }: StepProps & { readonly names: Names }) {
  const personas = useResource<{ readonly items: readonly Persona[] }>("/personas");
  const [name, setName] = useState(names.name);
  const [userName, setUserName] = useState(names.userName ?? "");
  const [address, setAddress] = useState(names.userAddress ?? "");
  const [preset, setPreset] = useState(names.preset ?? "");
  const [heard, setHeard] = useState<Preview | undefined>(undefined);
  const acting = useAct();
  const save = async (): Promise<void> => {
    const text = (value: string): string | null => (value.trim() === "" ? null : value.trim());
    await saveSettings({
      persona: { name: text(name), userName: text(userName), userAddress: text(address), preset: text(preset) },
    });
    done();
  };
  const hear = async (): Promise<void> => {
    setHeard(
      (await api.post<Preview>(`/personas/${encodeURIComponent(preset)}/preview`, { message: t("previewAsk") })).body,
    );
  };
  const chosen = personas.data?.items.find(({ id }) => id === preset);
  return (
    <>
      <TextField label={t("agentName")} value={name} onValue={setName} maxLength={100} />
      <TextField label={t("userName")} value={userName} onValue={setUserName} maxLength={100} autocomplete="name" />
      <TextField label={t("address")} value={address} onValue={setAddress} maxLength={100} />
      <Select
        label={t("persona")}
        value={preset}
        hint={chosen?.description}
        onValue={(next) => {
          setPreset(next);
          setHeard(undefined);
        }}
        options={[
          { value: "", label: t("personaNone") },
          ...(personas.data?.items ?? []).map((one) => ({ value: one.id, label: one.name })),
        ]}
      />
      {preset !== "" && (
        <div>
          <Act acting={acting} work={hear} icon="play">
            {t("preview")}
          </Act>
        </div>
      )}
      {heard !== undefined && (
        <blockquote class="p-quote" role="status">
          <p>{heard.text}</p>
          <p class="p-faint">{t("previewCost", { cost: money(heard.costUsd) })}</p>
        </blockquote>
      )}
      <Outcome of={acting} />
      <div class="p-row">
        <Act acting={acting} work={save} kind="primary">
          {t("next")}
        </Act>
        <Button kind="quiet" onClick={done}>
          {t("skip")}
        </Button>
      </div>
    </>
  );
}
