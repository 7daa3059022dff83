/** What is known of a model: window, abilities, price with its date. */
import type { ModelView } from "../schema.ts";
import { c } from "../../../web/texts/panels-common.ts";
import { t } from "./texts.ts";
import { money, short } from "../../../web/panel-kit/format.ts";

export function ModelFacts({ model }: { readonly model: ModelView | undefined }) {
  if (model === undefined) return null;
  const can = [model.vision && t("vision"), model.tools && t("tools"), model.thinking && t("thinking")].filter(Boolean);
  return (
    <dl class="p-facts">
      <dt>{t("window")}</dt>
      <dd>{short(model.window)}</dd>
      <dt>{t("maxOutput")}</dt>
      <dd>{short(model.maxOutput)}</dd>
      {can.length > 0 && (
        <>
          <dt>{t("abilities")}</dt>
          <dd>{can.join(", ")}</dd>
        </>
      )}
      <dt>{t("price")}</dt>
      <dd>
        {model.price === undefined ? (
          c("priceUnknown")
        ) : (
          <>
            {t("priceOf", { in: money(model.price.input), out: money(model.price.output) })}{" "}
            <span class="p-faint">
              {model.price.asOf === undefined ? t("ownPrice") : t("asOf", { date: model.price.asOf })}
            </span>
          </>
        )}
      </dd>
    </dl>
  );
}
