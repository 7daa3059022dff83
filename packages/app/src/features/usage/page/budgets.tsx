/** Budgets: how much of each is used, edited in place. */
import type { z } from "zod";
import type { BudgetsBody, BudgetsResult } from "../budgets-schema.ts";
import { c } from "../../../web/texts/panels-common.ts";
import { t } from "./texts.ts";
import { Button } from "../../../web/ui/button.tsx";
import { Select, TextField } from "../../../web/ui/field.tsx";
import { toast } from "../../../web/ui/toast.tsx";
import { Act, Outcome, useAct } from "../../../web/panel-kit/act.tsx";
import { api } from "../../../web/panel-kit/api.ts";
import { useDraft } from "../../../web/panel-kit/draft.ts";
import { money, relative, short } from "../../../web/panel-kit/format.ts";
import { Empty, Loaded } from "../../../web/panel-kit/loaded.tsx";
import { useResource } from "../../../web/panel-kit/resource.ts";

type Result = z.infer<typeof BudgetsResult>;
type Item = z.infer<typeof BudgetsBody>["items"][number];

const SCOPES = ["turn", "session", "day", "month", "source", "unattended"] as const;

export function Budgets() {
  const budgets = useResource<Result>("/budgets", "usage");
  return <Loaded of={budgets}>{(data) => <Form result={data} reload={budgets.reload} />}</Loaded>;
}

function Form({ result, reload }: { readonly result: Result; readonly reload: () => Promise<void> }) {
  const saved: readonly Item[] = result.items.map(
    ({ spent: _spent, reserved: _reserved, resetsAt: _resetsAt, ...item }) => item,
  );
  const draft = useDraft("usage/budgets", saved, result.hash);
  const acting = useAct();
  const edit = (index: number, change: Item): void =>
    draft.change(draft.value.map((item, at) => (at === index ? change : item)));
  const save = async (): Promise<void> => {
    await api.put("/budgets", { items: draft.value }, { ifMatch: `"${result.hash}"` });
    draft.discard();
    toast(c("saved"));
    await reload();
  };
  return (
    <div class="stack">
      <p class="muted">{t("budgetWhy")}</p>
      {result.items.length + result.tokens.length > 0 && (
        <ul class="p-cards">
          {result.items.map((item, index) => (
            <Used key={index} name={t(`scope_${item.scope}`, { name: item.source ?? "" })} item={item} />
          ))}
          {result.tokens.map((item) => (
            <Used key={item.scope} name={t("ofToken", { name: item.name })} item={item} />
          ))}
        </ul>
      )}
      {draft.value.length === 0 && <Empty>{t("noBudgets")}</Empty>}
      {draft.value.map((item, index) => (
        <Limit
          key={index}
          item={item}
          index={index}
          edit={(change) => edit(index, change)}
          remove={() => draft.change(draft.value.filter((_item, at) => at !== index))}
        />
      ))}
      <Outcome of={acting} />
      <div class="p-row">
        <Button icon="plus" onClick={() => draft.change([...draft.value, { scope: "day", usd: 5, action: "stop" }])}>
          {t("addBudget")}
        </Button>
        <span class="grow" />
        {draft.state !== "saved" && <Button onClick={draft.discard}>{c("discard")}</Button>}
        <Act acting={acting} work={save} kind="primary" disabled={draft.state === "saved"}>
          {c("save")}
        </Act>
      </div>
      <p class="p-help">{t("raise")}</p>
    </div>
  );
}

interface LimitProps {
  readonly item: Item;
  readonly index: number;
  readonly edit: (change: Item) => void;
  readonly remove: () => void;
}

/** One budget as it is edited. */
function Limit({ item, index, edit, remove }: LimitProps) {
  return (
    <div class="p-card">
      <div class="p-row p-bottom">
        <Select
          label={t("scope")}
          value={item.scope}
          onValue={(scope) => edit(withScope(item, SCOPES.find((one) => one === scope) ?? "day"))}
          options={SCOPES.map((value) => ({
            value,
            label: value === "source" ? t("source") : t(`scope_${value}`),
          }))}
        />
        {item.scope === "source" && (
          <TextField label={t("source")} value={item.source ?? ""} onValue={(source) => edit({ ...item, source })} />
        )}
        <NumberField label={t("usd")} value={item.usd} onValue={(usd) => edit(withLimit(item, "usd", usd))} />
        <NumberField
          label={t("limitTokens")}
          value={item.tokens}
          onValue={(tokens) => edit(withLimit(item, "tokens", tokens))}
        />
        <Select
          label={t("action")}
          value={item.action ?? "stop"}
          onValue={(action) => edit({ ...item, action: action === "warn" ? "warn" : "stop" })}
          options={[
            { value: "stop", label: t("action_stop") },
            { value: "warn", label: t("action_warn") },
          ]}
        />
        <Button kind="quiet" icon="trash" label={c("removeItem", { n: index + 1 })} onClick={remove} />
      </div>
    </div>
  );
}

type Shown = Pick<Result["items"][number], "usd" | "tokens" | "spent" | "reserved" | "resetsAt">;

function Used({ name, item }: { readonly name: string; readonly item: Shown }) {
  const usd =
    item.usd !== undefined && item.spent !== undefined
      ? { spent: item.spent.costUsd ?? 0, limit: item.usd }
      : undefined;
  const tokens =
    item.tokens !== undefined && item.spent !== undefined
      ? { spent: item.spent.tokens, limit: item.tokens }
      : undefined;
  if (usd === undefined && tokens === undefined) return null;
  return (
    <li class="p-card">
      <strong>{name}</strong>
      {usd !== undefined && (
        <label>
          {t("ofUsd", { spent: money(item.spent?.costUsd), limit: money(usd.limit) })}
          <meter class="p-meter" min={0} max={usd.limit} high={usd.limit * 0.8} optimum={0} value={usd.spent} />
        </label>
      )}
      {tokens !== undefined && (
        <label>
          {t("ofUsd", { spent: short(tokens.spent), limit: short(tokens.limit) })}
          <meter
            class="p-meter"
            min={0}
            max={tokens.limit}
            high={tokens.limit * 0.8}
            optimum={0}
            value={tokens.spent}
          />
        </label>
      )}
      {(item.reserved ?? 0) > 0 && <span class="p-faint">{t("reserved", { n: short(item.reserved ?? 0) })}</span>}
      {item.resetsAt !== undefined && <span class="p-faint">{t("resets", { when: relative(item.resetsAt) })}</span>}
    </li>
  );
}

interface NumberProps {
  readonly label: string;
  readonly value: number | undefined;
  readonly onValue: (value: number | undefined) => void;
}

function NumberField({ label, value, onValue }: NumberProps) {
  return (
    <label class="p-field p-short">
      <span>{label}</span>
      <input
        class="input"
        type="number"
        min={0}
        step="any"
        value={value ?? ""}
        onInput={(event) => onValue(event.currentTarget.value === "" ? undefined : Number(event.currentTarget.value))}
      />
    </label>
  );
}

function withScope(item: Item, scope: Item["scope"]): Item {
  const { source: _source, ...rest } = item;
  return { ...rest, scope, ...(scope === "source" && { source: item.source ?? "" }) };
}

function withLimit(item: Item, name: "usd" | "tokens", value: number | undefined): Item {
  const { [name]: _before, ...rest } = item;
  return value === undefined ? rest : { ...rest, [name]: value };
}
