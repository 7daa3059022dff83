/** What a server says of itself and nobody approved yet: a person reads all of it, then says yes or no to exactly that. */
import type { ComponentChildren } from "preact";
import type { McpServerView } from "../schema.ts";
import { t } from "./texts.ts";
import { toast } from "../../../web/ui/toast.tsx";
import { Act, type Acting } from "../../../web/panel-kit/act.tsx";
import { api } from "../../../web/panel-kit/api.ts";
import { Diff } from "../../../web/panel-kit/diff.tsx";

type Change = McpServerView["changes"][number];
type Texts = NonNullable<McpServerView["instructions"]>;

interface Props {
  readonly server: McpServerView;
  readonly path: string;
  readonly acting: Acting;
  readonly reload: () => Promise<void>;
}

export function Review({ server, path, acting, reload }: Props) {
  const { approved, state, changes, instructions, manifestHash, name, enabled } = server;
  if (approved || !enabled) return null;
  const waits = manifestHash !== undefined;
  const isFirst = !changes.some(({ kind }) => kind !== "added") && state !== "changed";
  const answer = (verb: "approve" | "refuse") => async (): Promise<void> => {
    await api.post(`${path}/${verb}`, { manifestHash });
    toast(t(verb === "approve" ? "approved" : "refused", { name }));
    await reload();
  };
  if (!waits) return <p class="note-box">{t("neverSeen")}</p>;
  return (
    <div class="note-box warn" data-review={name}>
      <div class="stack grow">
        <strong>{t(isFirst ? "firstLook" : "changes")}</strong>
        <span>{t(isFirst ? "firstLookWhy" : "changesWhy")}</span>
        {instructions !== undefined && (
          <section>
            <strong>{t("instructions")}</strong>
            <TextDiff of={instructions} label={t("instructions")} />
          </section>
        )}
        {changes.map((change) => (
          <ToolChange key={change.tool} change={change} />
        ))}
        <div class="p-row">
          <Act acting={acting} work={answer("approve")} kind="primary">
            {t("approve")}
          </Act>
          <Act acting={acting} work={answer("refuse")}>
            {t("refuse")}
          </Act>
        </div>
      </div>
    </div>
  );
}

function ToolChange({ change }: { readonly change: Change }) {
  const { tool, kind, effect, parameters } = change;
  return (
    <section>
      <code>{tool}</code> <span class="badge">{t(`change_${kind}`)}</span>
      {effect?.after !== undefined && (
        <>
          {" "}
          {effect.before !== undefined && <Badge>{t(`effect_${effect.before}`)} →</Badge>}{" "}
          <Badge>{t(`effect_${effect.after}`)}</Badge>
        </>
      )}
      <TextDiff of={change} label={tool} />
      {parameters !== undefined && (
        <>
          <span class="p-faint">{t("parameters")}</span>
          <TextDiff of={{ ...pretty(parameters) }} label={`${tool}: ${t("parameters")}`} />
        </>
      )}
    </section>
  );
}

function Badge({ children }: { readonly children: ComponentChildren }) {
  return <span class="badge">{children}</span>;
}

function TextDiff({ of: { before = "", after = "" }, label }: { readonly of: Texts; readonly label: string }) {
  return before === after ? null : <Diff before={before} after={after} label={label} />;
}

/** One line is hard to read; several schemas of one name stand on a line each. */
function pretty({ before, after }: Texts): Texts {
  const lines = (text: string): string => text.split("\n").map(indented).join("\n");
  return {
    ...(before !== undefined && { before: lines(before) }),
    ...(after !== undefined && { after: lines(after) }),
  };
}

function indented(json: string): string {
  try {
    return JSON.stringify(JSON.parse(json), null, 2);
  } catch {
    return json; // what is hidden in it was written out: still all of it
  }
}
