/** The next five times in the job's zone and here, the sentence, and what is odd about them. */
import { pick } from "../../../web/texts/panels.ts";
import { t } from "./texts.ts";
import { browserZone, dateTime, number } from "../../../web/panel-kit/format.ts";
import type { Validation } from "./types.ts";

interface Props {
  readonly validation: Validation | undefined;
  readonly zone: string;
}

export function Preview({ validation, zone }: Props) {
  if (validation === undefined) return <p class="muted">{t("checking")}</p>;
  if (!validation.ok) return null;
  const here = browserZone();
  const both = zone !== "" && zone !== here;
  return (
    <section class="p-card stack" aria-live="polite" aria-label={t("preview")} data-preview>
      <strong>{pick(validation.description)}</strong>
      <p class="p-faint">
        {validation.perDay >= 1 ? t("perDay", { n: number(Math.round(validation.perDay)) }) : t("perDayLess")}
      </p>
      <table class="p-times">
        <thead>
          <tr>
            <th scope="col">{zone === "" ? t("preview") : t("inZone", { zone })}</th>
            {both && <th scope="col">{t("here", { zone: here })}</th>}
          </tr>
        </thead>
        <tbody>
          {validation.next.map(({ at, local, note }) => (
            <tr key={at}>
              <td>
                {local}
                {note !== undefined && (
                  <div class="p-warn small">{t(note === "dst-gap" ? "dstGap" : "dstOverlap")}</div>
                )}
              </td>
              {both && <td>{dateTime(at)}</td>}
            </tr>
          ))}
        </tbody>
      </table>
      {validation.warnings.map((warning) => (
        <p key={warning} class="p-warn">
          {warning}
        </p>
      ))}
    </section>
  );
}
