/** A price for a model that has none: it holds for requests from then on, here and in budgets. */
import { useState } from "preact/hooks";
import { c } from "../../../web/texts/panels-common.ts";
import { t } from "./texts.ts";
import { Button } from "../../../web/ui/button.tsx";
import { Dialog } from "../../../web/ui/dialog.tsx";
import { TextField } from "../../../web/ui/field.tsx";
import { toast } from "../../../web/ui/toast.tsx";
import { Act, Outcome, useAct } from "../../../web/panel-kit/act.tsx";
import { api } from "../../../web/panel-kit/api.ts";

const FIELDS = ["input", "output", "cacheRead"] as const;
type Name = (typeof FIELDS)[number];

/** @param model `provider/model`. */
export function SetPrice({ model }: { readonly model: string }) {
  const [open, setOpen] = useState(false);
  return (
    <>
      <Button size="small" kind="quiet" onClick={() => setOpen(true)}>
        {t("setPrice")}
      </Button>
      {open && <PriceDialog model={model} onClose={() => setOpen(false)} />}
    </>
  );
}

function PriceDialog({ model, onClose }: { readonly model: string; readonly onClose: () => void }) {
  const acting = useAct();
  const [texts, setTexts] = useState<Readonly<Record<Name, string>>>({ input: "", output: "", cacheRead: "" });
  const values = { input: valueOf(texts.input), output: valueOf(texts.output), cacheRead: valueOf(texts.cacheRead) };
  const isReady = values.input !== undefined && values.output !== undefined;
  const save = async (): Promise<void> => {
    const { etag } = await api.get("/settings");
    const price = Object.fromEntries(Object.entries(values).filter(([, value]) => value !== undefined));
    await api.patch("/settings", { models: { [model]: { price } } }, etag === null ? {} : { ifMatch: etag });
    toast(t("priceSaved", { model }));
    onClose();
  };
  return (
    <Dialog
      title={t("priceOf", { model })}
      onClose={onClose}
      footer={
        <>
          <Button onClick={onClose}>{c("cancel")}</Button>
          <Act acting={acting} work={save} kind="primary" disabled={!isReady}>
            {c("save")}
          </Act>
        </>
      }
    >
      <div class="stack">
        <p class="muted">{t("priceWhy")}</p>
        {FIELDS.map((name) => (
          <TextField
            key={name}
            label={t(`price_${name}`)}
            inputMode="decimal"
            value={texts[name]}
            fault={texts[name].trim() !== "" && values[name] === undefined ? t("priceFault") : undefined}
            onValue={(text) => setTexts({ ...texts, [name]: text })}
          />
        ))}
        <Outcome of={acting} />
      </div>
    </Dialog>
  );
}

/** Dollars; people write a comma too. */
function valueOf(text: string): number | undefined {
  if (!/^\s*\d+([.,]\d+)?\s*$/.test(text)) return undefined;
  return Number(text.trim().replace(",", "."));
}
