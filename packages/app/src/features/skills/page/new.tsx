/** A skill written here: name and text; what is saved here is approved by saving it. */
import { t } from "./texts.ts";
import { openPanel } from "../../../web/lib/route.ts";
import { TextField } from "../../../web/ui/field.tsx";
import { Act, Outcome, useAct } from "../../../web/panel-kit/act.tsx";
import { api, faultsOf } from "../../../web/panel-kit/api.ts";
import { useDraft } from "../../../web/panel-kit/draft.ts";
import { Editor } from "../../../web/panel-kit/editor.tsx";
import { PanelLink } from "../../../web/panel-kit/go.tsx";

interface Draft {
  readonly name: string;
  readonly body: string;
}

const EMPTY: Draft = { name: "", body: "" };

export function NewSkill() {
  const draft = useDraft<Draft>("skills/~new", EMPTY, undefined);
  const acting = useAct();
  const { name, body } = draft.value;
  const text = body === "" ? template(name) : body;
  const create = async (): Promise<void> => {
    await api.post("/skills", { name, body: text });
    draft.discard();
    openPanel(`skills/${name}`);
  };
  return (
    <div class="stack">
      <p>
        <PanelLink to="skills">‹ {t("toList")}</PanelLink>
      </p>
      <h3>{t("new")}</h3>
      <TextField
        label={t("name")}
        hint={t("nameWhy")}
        value={name}
        onValue={(next) => draft.change({ name: next, body })}
        fault={faultsOf(acting.problem).get("/name")}
        spellcheck={false}
        maxLength={64}
      />
      <Editor label={t("text")} value={text} onChange={(next) => draft.change({ name, body: next })} />
      <Outcome of={acting} />
      <div>
        <Act acting={acting} work={create} kind="primary" disabled={name === ""}>
          {t("create")}
        </Act>
      </div>
    </div>
  );
}

function template(name: string): string {
  return `---\nname: ${name}\ndescription: ${t("template")}\n---\n\n# ${name}\n\n`;
}
