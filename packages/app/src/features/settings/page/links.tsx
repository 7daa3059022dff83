/** Pages that hold the rest of a task. */
import { PanelLink } from "../../../web/panel-kit/go.tsx";
import { t as common } from "../../../web/texts/index.ts";
import type { TaskPage } from "./tasks.ts";
import { t } from "./texts.ts";

export function MorePages({ pages }: { readonly pages: readonly TaskPage[] }) {
  if (pages.length === 0) return null;
  return (
    <p class="muted">
      {t("moreOn")}{" "}
      {pages.map((id, index) => (
        <span key={id}>
          {index > 0 && " · "}
          <PanelLink to={id}>{common(`nav.${id}`)}</PanelLink>
        </span>
      ))}
    </p>
  );
}
