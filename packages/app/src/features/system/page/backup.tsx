/** Backup: of the whole home; and a file of what is configured and known: one that comes in is compared before it is applied. */
import { useState } from "preact/hooks";
import type { ImportView, Section } from "../../settings-export/schema.ts";
import { t } from "./texts.ts";
import { Kept } from "./kept.tsx";
import { respond } from "../../../web/api.ts";
import { saveBlob } from "../../../web/lib/save-blob.ts";
import { Check, Field, PasswordField } from "../../../web/ui/field.tsx";
import { toast } from "../../../web/ui/toast.tsx";
import { Act, Outcome, useAct } from "../../../web/panel-kit/act.tsx";
import { api, faultsOf } from "../../../web/panel-kit/api.ts";

const SECTIONS = ["settings", "memory", "schedule"] as const;
const LEAST = 12;

export function Backup() {
  return (
    <div class="stack p-narrow">
      <Kept />
      <Export />
      <Import />
    </div>
  );
}

function Export() {
  const acting = useAct();
  const [sections, setSections] = useState<readonly Section[]>(SECTIONS);
  const [sealed, setSealed] = useState(false);
  const [passphrase, setPassphrase] = useState("");
  const save = async (): Promise<void> => {
    const body = sealed ? { sections, secrets: "encrypted", passphrase } : { sections };
    const response = await respond("POST", "/config/export", { body });
    const name = /filename="([\w.-]+)"/.exec(response.headers.get("content-disposition") ?? "")?.[1];
    saveBlob(await response.blob(), name ?? "margay-backup.json");
    setPassphrase("");
  };
  return (
    <form class="p-card stack" onSubmit={(event) => event.preventDefault()}>
      <h3>{t("exportTitle")}</h3>
      <fieldset class="p-field p-group">
        <legend>{t("sections")}</legend>
        {SECTIONS.map((name) => (
          <Check
            key={name}
            label={t(`section_${name}`)}
            checked={sections.includes(name)}
            onChecked={(on) => setSections(SECTIONS.filter((one) => (one === name ? on : sections.includes(one))))}
          />
        ))}
      </fieldset>
      <Check label={t("withSecrets")} checked={sealed} onChecked={setSealed} />
      {sealed ? (
        <PasswordField
          label={t("passphrase")}
          hint={t("passphraseWhy")}
          value={passphrase}
          onValue={setPassphrase}
          fault={faultsOf(acting.problem).get("/passphrase")}
          autocomplete="new-password"
        />
      ) : (
        <p class="p-help">{t("secretsOut")}</p>
      )}
      <Outcome of={acting} />
      <div>
        <Act
          acting={acting}
          work={save}
          icon="download"
          disabled={sections.length === 0 || (sealed && passphrase.length < LEAST)}
        >
          {t("exportNow")}
        </Act>
      </div>
    </form>
  );
}

function Import() {
  const acting = useAct();
  const [file, setFile] = useState<File | undefined>(undefined);
  const [passphrase, setPassphrase] = useState("");
  const [look, setLook] = useState<ImportView | undefined>(undefined);
  const send = async (query: Readonly<Record<string, string>>): Promise<ImportView | undefined> => {
    if (file === undefined) return undefined;
    const headers = passphrase === "" ? {} : { "margay-passphrase": base64(passphrase) };
    const options = { query, raw: file, contentType: "application/json", headers };
    return (await api.post<ImportView>("/config/import", undefined, options)).body;
  };
  const compare = async (): Promise<void> => setLook(await send({ dryRun: "true" }));
  const apply = async (): Promise<void> => {
    if (look === undefined) return;
    const done = await send({ token: look.token });
    setLook(undefined);
    const restart = done?.restart ?? [];
    toast(restart.length === 0 ? t("applied") : t("appliedRestart", { list: restart.join(", ") }));
  };
  return (
    <form class="p-card stack" onSubmit={(event) => event.preventDefault()}>
      <h3>{t("importTitle")}</h3>
      <p class="muted">{t("importWhy")}</p>
      <Field label={t("file")}>
        {(control) => (
          <input
            {...control}
            type="file"
            accept=".json,application/json"
            onChange={(event) => {
              setFile(event.currentTarget.files?.[0]);
              setLook(undefined);
            }}
          />
        )}
      </Field>
      <PasswordField label={t("filePassphrase")} value={passphrase} onValue={setPassphrase} autocomplete="off" />
      <Outcome of={acting} />
      {look !== undefined && <Comparison look={look} />}
      <div class="p-row">
        <Act acting={acting} work={compare} disabled={file === undefined}>
          {t("compare")}
        </Act>
        {look !== undefined && (
          <Act acting={acting} work={apply} kind="primary">
            {t("apply")}
          </Act>
        )}
      </div>
    </form>
  );
}

const LISTS = ["adds", "changes", "removes", "conflicts", "secretsNeeded"] as const;

function Comparison({ look }: { readonly look: ImportView }) {
  const changed = look.sections.filter((section) => LISTS.some((list) => section[list].length > 0));
  return (
    <div class="stack" role="status">
      {changed.length === 0 && <p>{t("nothingNew")}</p>}
      {changed.map((section) => (
        <section key={section.name}>
          <strong>{t(`section_${section.name}`)}</strong>
          <dl class="p-facts">
            {LISTS.filter((list) => section[list].length > 0).map((list) => [
              <dt key={`${list} name`}>{t(list)}</dt>,
              <dd key={list} class="p-mono">
                {section[list].join(", ")}
              </dd>,
            ])}
          </dl>
        </section>
      ))}
      {look.skipped.length > 0 && <p class="p-warn">{t("skipped", { list: look.skipped.join(", ") })}</p>}
    </div>
  );
}

/** Of UTF-8: a header takes no other text. */
function base64(text: string): string {
  return btoa(String.fromCharCode(...new TextEncoder().encode(text)));
}
