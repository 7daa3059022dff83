/** Budgets: how much of each is used, edited in place. */
import type { z } from "zod";
import BudgetsBody from "virtual:form/usage/budgets-schema.ts#BudgetsBody";
import ITEM from "virtual:form/usage/budgets-schema.ts#BudgetSchema";
import type { BudgetSchema, BudgetsResult } from "../budgets-schema.ts";
import { c } from "../../../web/texts/panels-common.ts";
import { t } from "./texts.ts";
import { Button } from "../../../web/ui/button.tsx";
import { fieldsOf } from "../../../web/ui/form-shape.ts";
import { Fields } from "../../../web/ui/schema-form.tsx";
import { api } from "../../../web/panel-kit/api.ts";
import { money, relative, short } from "../../../web/panel-kit/format.ts";
import { Empty, Loaded } from "../../../web/panel-kit/loaded.tsx";
import { ResourceForm, useForm } from "../../../web/panel-kit/resource-form.tsx";
import { useResource } from "../../../web/panel-kit/resource.ts";

type Result = z.infer<typeof BudgetsResult>;
type Item = z.infer<typeof BudgetSchema>;

const FIELDS = ["scope", "usd", "tokens", "action"] as const;
const WITH_SOURCE = ["scope", "source", "usd", "tokens", "action"] as const;

export function Budgets() {
  const budgets = useResource<Result>("/budgets", "usage");
  return <Loaded of={budgets}>{(data) => <Form result={data} reload={budgets.reload} />}</Loaded>;
}

interface Draft {
  readonly items: readonly Item[];
}

function Form({ result, reload }: { readonly result: Result; readonly reload: () => Promise<void> }) {
  const items: readonly Item[] = result.items.map(
    ({ spent: _spent, reserved: _reserved, resetsAt: _resetsAt, ...item }) => item,
  );
  const form = useForm<Draft>({
    name: "usage/budgets",
    saved: { items },
    hash: result.hash,
    fields: fieldsOf(BudgetsBody, ["items"], t.find),
    reload,
    write: async (value, condition) => void (await api.put("/budgets", value, condition)),
    said: () => c("saved"),
  });
  const put = (next: readonly Item[]): void => form.change({ items: next });
  return (
    <div class="stack">
      <p class="muted">{t("budgetWhy")}</p>
      {result.items.length + result.people.length + result.tokens.length > 0 && (
        <ul class="p-cards">
          {result.items.map((item, index) => (
            <Used key={index} name={nameOf(item)} item={item} />
          ))}
          {result.people.map((item) => (
            <Used key={item.person} name={t("ofPerson", { name: item.name ?? item.person })} item={item} />
          ))}
          {result.tokens.map((item) => (
            <Used key={item.scope} name={t("ofToken", { name: item.name })} item={item} />
          ))}
        </ul>
      )}
      <ResourceForm
        form={form}
        own={{ items: () => <Limits items={form.value.items} faults={form.faults} put={put} /> }}
        actions={
          <Button icon="plus" onClick={() => put([...form.value.items, { scope: "day", usd: 5, action: "stop" }])}>
            {t("addBudget")}
          </Button>
        }
      />
      <p class="p-help">{t("raise")}</p>
    </div>
  );
}

function nameOf({ scope, source = "" }: Item): string {
  return scope === "source" ? t("ofSource", { name: source }) : t(`scope_${scope}`);
}

interface LimitsProps {
  readonly items: readonly Item[];
  readonly faults: ReadonlyMap<string, string>;
  readonly put: (items: readonly Item[]) => void;
}

/** All budgets as they are edited. */
function Limits({ items, faults, put }: LimitsProps) {
  if (items.length === 0) return <Empty>{t("noBudgets")}</Empty>;
  return (
    <>
      {items.map((item, index) => (
        <div key={index} class="p-card">
          <Fields
            compact
            fields={fieldsOf(ITEM, item.scope === "source" ? WITH_SOURCE : FIELDS, t.find)}
            value={item}
            faults={faultsBelow(faults, `/items/${index}`)}
            // The controls give what the schema of the route says, and an item is made of the same schema.
            onChange={(next) => put(items.map((one, at) => (at === index ? withoutSource(next as Item) : one)))}
          />
          <div>
            <Button
              kind="quiet"
              icon="trash"
              label={c("removeItem", { n: index + 1 })}
              onClick={() => put(items.filter((_item, at) => at !== index))}
            />
          </div>
        </div>
      ))}
    </>
  );
}

/** Those of one entry, as its own form knows them. */
function faultsBelow(faults: ReadonlyMap<string, string>, pointer: string): ReadonlyMap<string, string> {
  const below = [...faults].filter(([at]) => at.startsWith(`${pointer}/`));
  return new Map(below.map(([at, fault]) => [at.slice(pointer.length), fault]));
}

/** Of a budget that counts no channel. */
function withoutSource(item: Item): Item {
  if (item.scope === "source") return item;
  const { source: _source, ...rest } = item;
  return rest;
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
