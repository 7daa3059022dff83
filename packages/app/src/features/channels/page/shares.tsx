/** What others have of the owner's without a question. Nothing is shown where there is none. */
import { t } from "./texts.ts";
import { c } from "../../../web/texts/panels-common.ts";
import { Outcome, useAct } from "../../../web/panel-kit/act.tsx";
import { api } from "../../../web/panel-kit/api.ts";
import { ConfirmButton } from "../../../web/panel-kit/confirm.tsx";
import { dateTime } from "../../../web/panel-kit/format.ts";
import { useResource } from "../../../web/panel-kit/resource.ts";
import type { Share } from "./types.ts";

export function Shares() {
  const { data = [], reload } = useResource<readonly Share[]>("/shares", "channels", "approvals");
  const acting = useAct();
  const end = (id: string): void =>
    void acting.run(async () => {
      await api.delete(`/shares/${encodeURIComponent(id)}`);
      await reload();
    });
  if (data.length === 0) return null;
  return (
    <section class="stack" aria-label={t("shares")}>
      <h3>{t("shares")}</h3>
      <p class="p-help">{t("sharesWhy")}</p>
      <Outcome of={acting} />
      <ul class="p-cards">
        {data.map(({ id, shown, reader, at }) => (
          <li key={id} class="p-card">
            <p class="p-facts-line">
              <span>{shown}</span>
              <strong>{t("shareTo", { name: reader })}</strong>
              <span>{dateTime(at)}</span>
            </p>
            <div class="p-row">
              <ConfirmButton
                size="small"
                kind="quiet"
                verb={c("remove")}
                text={t("shareAsk", { name: reader })}
                go={() => end(id)}
              />
            </div>
          </li>
        ))}
      </ul>
    </section>
  );
}
