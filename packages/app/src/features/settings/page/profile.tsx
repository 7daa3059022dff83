/** The profile: what a switch would change is shown before it happens. */
import { useState } from "preact/hooks";
import { c } from "../../../web/texts/panels-common.ts";
import { t } from "./texts.ts";
import { Button } from "../../../web/ui/button.tsx";
import { Table } from "../../../web/ui/table.tsx";
import { toast } from "../../../web/ui/toast.tsx";
import { Act, Outcome, useAct } from "../../../web/panel-kit/act.tsx";
import { api } from "../../../web/panel-kit/api.ts";
import { brief, type Settings } from "./model.ts";

const PROFILES = ["default", "nanobot", "countbot"] as const;
type Name = (typeof PROFILES)[number];
const WHAT = { default: "profile_default", nanobot: "profile_nanobot", countbot: "profile_countbot" } as const;

interface Preview {
  readonly profile: Name;
  readonly changes: readonly {
    readonly path: string;
    readonly from?: unknown;
    readonly to?: unknown;
    readonly restart: boolean;
  }[];
}

interface Props {
  readonly settings: Settings;
  readonly hash: string | undefined;
  readonly reload: () => Promise<void>;
}

export function Profile({ settings, hash, reload }: Props) {
  const acting = useAct();
  const [preview, setPreview] = useState<Preview | undefined>(undefined);
  const look = async (profile: Name): Promise<void> => {
    const answer = await api.put<Preview>("/settings/profile", { profile }, { query: { dryRun: true } });
    setPreview({ ...answer.body, profile });
  };
  const apply = async (profile: Name): Promise<void> => {
    await api.put("/settings/profile", { profile }, hash === undefined ? {} : { ifMatch: hash });
    setPreview(undefined);
    toast(t("savedNow"));
    await reload();
  };
  return (
    <div class="stack">
      <p class="muted">{t("profileWhy")}</p>
      <ul class="p-cards">
        {PROFILES.map((name) => (
          <li key={name} class="p-card">
            <div class="p-row">
              <strong class="grow">{name}</strong>
              {settings.profile === name ? (
                <span class="badge ok">{t("profileNow")}</span>
              ) : (
                <Act acting={acting} work={() => look(name)} size="small">
                  {t("profilePreview")}
                </Act>
              )}
            </div>
            <p>{t(WHAT[name])}</p>
          </li>
        ))}
      </ul>
      <Outcome of={acting} />
      {preview !== undefined && (
        <section class="stack" aria-live="polite">
          <h3>{t("profilePreviewOf", { name: preview.profile })}</h3>
          {preview.changes.length === 0 ? (
            <p>{t("profileSame")}</p>
          ) : (
            <Table
              caption={t("profilePreviewOf", { name: preview.profile })}
              rows={preview.changes}
              rowKey={({ path }) => path}
              columns={[
                { id: "path", title: t("setting"), cell: ({ path }) => <code>{path}</code>, sort: ({ path }) => path },
                { id: "from", title: t("before"), cell: ({ from }) => brief(from), mono: true },
                { id: "to", title: t("after"), cell: ({ to }) => brief(to), mono: true },
                {
                  id: "when",
                  title: t("effect"),
                  cell: ({ restart }) => (restart ? c("restartNeeded") : c("nextTurn")),
                },
              ]}
            />
          )}
          <div class="p-row">
            <Act acting={acting} work={() => apply(preview.profile)} kind="primary">
              {t("profileApply", { name: preview.profile })}
            </Act>
            <Button onClick={() => setPreview(undefined)}>{c("cancel")}</Button>
          </div>
        </section>
      )}
    </div>
  );
}
