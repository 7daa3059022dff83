/** What is in a skill's folder, as an operator must see it before approving it. */
import type { z } from "zod";
import type { ReportSchema } from "../schema.ts";
import { t } from "./texts.ts";
import { bytes } from "../../../web/panel-kit/format.ts";

export type SkillReport = z.infer<typeof ReportSchema>;

export function Report({ report }: { readonly report: SkillReport }) {
  const lists: readonly (readonly [string, readonly string[]])[] = [
    [t("problems"), report.problems],
    [t("changed"), report.changed],
    [t("scripts"), report.scripts],
    [t("hosts"), report.hosts],
    [t("invisible"), report.invisible],
  ];
  return (
    <div class="stack">
      {lists
        .filter(([, items]) => items.length > 0)
        .map(([title, items]) => (
          <section key={title}>
            <strong>{title}</strong>
            <ul class="p-bullets">
              {items.map((item) => (
                <li key={item}>
                  <code>{item}</code>
                </li>
              ))}
            </ul>
          </section>
        ))}
      <section>
        <strong>{t("files")}</strong>
        <ul class="p-bullets">
          {report.files.map((file) => (
            <li key={file.path}>
              <code>{file.path}</code> <span class="p-faint">{bytes(file.bytes)}</span>{" "}
              {file.executable && <span class="badge warn">{t("executable")}</span>}
            </li>
          ))}
        </ul>
      </section>
    </div>
  );
}
