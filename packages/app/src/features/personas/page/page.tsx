/** Personas: twelve presets and one's own, heard before they are used. */
import { useState } from "preact/hooks";
import { c } from "../../../web/texts/panels-common.ts";
import { t } from "./texts.ts";
import { route } from "../../../web/lib/route.ts";
import { Button } from "../../../web/ui/button.tsx";
import { TextField } from "../../../web/ui/field.tsx";
import { toast } from "../../../web/ui/toast.tsx";
import { Act, Outcome, useAct } from "../../../web/panel-kit/act.tsx";
import { api } from "../../../web/panel-kit/api.ts";
import { money } from "../../../web/panel-kit/format.ts";
import { Loaded } from "../../../web/panel-kit/loaded.tsx";
import { useResource } from "../../../web/panel-kit/resource.ts";
import { PersonaForm } from "./form.tsx";
import type { Chosen, Persona, Preview } from "./types.ts";

export function PersonasPage() {
  const personas = useResource<{ readonly items: readonly Persona[] }>("/personas", "system");
  const acting = useAct();
  const [adding, setAdding] = useState(false);
  const { session } = route.value;
  const use = (id: string | null, here: boolean) => async (): Promise<void> => {
    const { body } = await api.put<Chosen>("/personas/active", {
      id,
      ...(here && session !== undefined && { session }),
    });
    toast(t(body.effect === "next-turn" ? "fromNextTurn" : "fromNextEpoch"));
    await personas.reload();
  };
  return (
    <Loaded of={personas}>
      {({ items }) => (
        <div class="stack">
          <div class="p-row">
            <Button icon="plus" aria-expanded={adding} onClick={() => setAdding(!adding)}>
              {t("new")}
            </Button>
            <span class="grow" />
            {items.some(({ active }) => active) ? (
              <Act acting={acting} work={use(null, false)}>
                {t("noneUse")}
              </Act>
            ) : (
              <span class="badge ok">{t("none")}</span>
            )}
          </div>
          <Outcome of={acting} />
          {adding && (
            <PersonaForm
              persona={undefined}
              reload={personas.reload}
              done={async () => {
                setAdding(false);
                await personas.reload();
              }}
            />
          )}
          <ul class="p-cards">
            {items.map((persona) => (
              <Card
                key={persona.id}
                persona={persona}
                use={use(persona.id, false)}
                useHere={session === undefined ? undefined : use(persona.id, true)}
                reload={personas.reload}
              />
            ))}
          </ul>
        </div>
      )}
    </Loaded>
  );
}

interface CardProps {
  readonly persona: Persona;
  readonly use: () => Promise<void>;
  /** In the chat beside this page. */
  readonly useHere: (() => Promise<void>) | undefined;
  readonly reload: () => Promise<void>;
}

function Card({ persona, use, useHere, reload }: CardProps) {
  const acting = useAct();
  const [open, setOpen] = useState<"preview" | "edit" | undefined>(undefined);
  const path = `/personas/${encodeURIComponent(persona.id)}`;
  const duplicate = async (): Promise<void> => {
    await api.post(`${path}/duplicate`, {});
    await reload();
  };
  return (
    <li class="p-card" data-persona={persona.id}>
      <div class="p-row">
        <strong class="grow">{persona.name}</strong>
        {persona.active && <span class="badge ok">{t("active")}</span>}
        <span class="badge">{t(persona.builtin ? "builtin" : "own")}</span>
      </div>
      <p>{persona.description}</p>
      {persona.traits.length > 0 && (
        <p class="p-row">
          {persona.traits.map((trait) => (
            <span key={trait} class="badge">
              {trait}
            </span>
          ))}
        </p>
      )}
      <Outcome of={acting} />
      <div class="p-row">
        {!persona.active && (
          <Act acting={acting} work={use} size="small" label={`${t("use")}: ${persona.name}`}>
            {t("use")}
          </Act>
        )}
        {useHere !== undefined && (
          <Act acting={acting} work={useHere} size="small" label={`${t("useHere")}: ${persona.name}`}>
            {t("useHere")}
          </Act>
        )}
        <Button
          size="small"
          icon="play"
          aria-expanded={open === "preview"}
          onClick={() => setOpen(open === "preview" ? undefined : "preview")}
        >
          {t("preview")}
        </Button>
        {persona.builtin ? (
          <Act acting={acting} work={duplicate} size="small" kind="quiet" icon="copy">
            {t("duplicate")}
          </Act>
        ) : (
          <Button
            size="small"
            kind="quiet"
            icon="edit"
            aria-expanded={open === "edit"}
            onClick={() => setOpen(open === "edit" ? undefined : "edit")}
          >
            {c("edit")}
          </Button>
        )}
      </div>
      {open === "preview" && <Hear path={path} />}
      {open === "edit" && (
        <PersonaForm
          persona={persona}
          reload={reload}
          done={async () => {
            setOpen(undefined);
            await reload();
          }}
        />
      )}
    </li>
  );
}

function Hear({ path }: { readonly path: string }) {
  const acting = useAct();
  const [message, setMessage] = useState(t("previewDefault"));
  const [heard, setHeard] = useState<Preview | undefined>(undefined);
  const ask = async (): Promise<void> => {
    setHeard((await api.post<Preview>(`${path}/preview`, { message })).body);
  };
  return (
    <div class="stack">
      <div class="p-row p-bottom">
        <div class="grow">
          <TextField label={t("previewAsk")} value={message} onValue={setMessage} />
        </div>
        <Act acting={acting} work={ask} disabled={message.trim() === ""}>
          {t("preview")}
        </Act>
      </div>
      <Outcome of={acting} />
      {heard !== undefined && (
        <blockquote class="p-quote" role="status">
          <p class="p-prose">{heard.text}</p>
          <p class="p-faint">{t("previewCost", { cost: money(heard.costUsd) })}</p>
        </blockquote>
      )}
    </div>
  );
}
