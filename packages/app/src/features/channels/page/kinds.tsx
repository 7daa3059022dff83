/** Which channels can be added: those that are there, and those whose plugin comes first. */
import { t } from "./texts.ts";
import { locale } from "../../../web/texts/panels.ts";
import { readFields } from "../../../web/ui/form-shape.ts";
import { neededOf } from "../../../web/ui/schema-form.tsx";
import { Act, Outcome, useAct } from "../../../web/panel-kit/act.tsx";
import { Copy } from "../../../web/panel-kit/copy.tsx";
import { PanelLink } from "../../../web/panel-kit/go.tsx";
import type { AbsentKind, ChannelView, InstalledKind, Kind } from "./types.ts";

/** Before the kind of an account that has no name yet, as `~` is before a tab: no channel is called so. */
export const NEW = "~new/";

interface KindsProps {
  readonly kinds: readonly Kind[];
  readonly channels: readonly ChannelView[];
}

export function Kinds({ kinds, channels }: KindsProps) {
  return (
    <section class="stack">
      <h3>{t("add")}</h3>
      <ul class="p-grid">
        {kinds.map((one) => {
          const { kind, title } = one;
          const isThere = channels.some((channel) => channel.id === kind || channel.kind === kind);
          return (
            <li key={kind} class="p-card">
              <PanelLink to={isThere ? `channels/${NEW}${kind}` : `channels/${kind}`} class="p-title">
                {title}
              </PanelLink>
              <span class="p-faint">{isAbsent(one) ? t("absent") : isThere ? t("another") : needs(one)}</span>
            </li>
          );
        })}
      </ul>
    </section>
  );
}

export function isAbsent(kind: Kind): kind is AbsentKind {
  return "plugin" in kind;
}

/** What has to be at hand: the settings that it cannot do without. */
function needs({ login, schema }: InstalledKind): string {
  if (login !== "none") return t("qr");
  const fields = readFields(schema).flatMap((field) => (field.shape.is === "object" ? field.shape.fields : [field]));
  const titles = neededOf(fields, {}).flatMap(({ required, title }) => (required ? [title] : []));
  return new Intl.ListFormat(locale()).format(titles);
}

interface AbsentProps {
  readonly kind: AbsentKind;
  readonly reload: () => Promise<void>;
}

/** Code from elsewhere is installed by who has the machine. */
export function Absent({ kind: { title, plugin }, reload }: AbsentProps) {
  const acting = useAct();
  return (
    <div class="stack">
      <h3>{title}</h3>
      <p>{t("absentWhy", { title })}</p>
      <Copy text={`margay plugin add ${plugin}`} />
      <Outcome of={acting} />
      <div class="p-row">
        <Act acting={acting} work={reload} icon="refresh">
          {t("absentDone")}
        </Act>
      </div>
    </div>
  );
}
