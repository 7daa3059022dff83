/** A higher bound in the place of the one that is used up; the gateway asks for a proof, and the question is asked again. */
import { isRecord, type ItemOf } from "@margay/core/internal/state";
import type { VNode } from "preact";
import { useEffect, useState } from "preact/hooks";
import type { z } from "zod";
import type { BudgetsResult } from "../../../features/usage/budgets-schema.ts";
import { api } from "../../api.ts";
import { money, tokens } from "../../texts/format.ts";
import { Button } from "../../ui/button.tsx";
import { problemFrom } from "../../ui/problem.tsx";
import { Skeleton } from "../../ui/states.tsx";
import { focusOnce } from "./key-field.tsx";
import { t } from "./texts.ts";

type Budgets = z.infer<typeof BudgetsResult>;
type Budget = Budgets["items"][number];

type Failure = ItemOf<"turn-end">["error"];

interface RaiseProps {
  /** What the turn ended with: its details name the bound. */
  readonly error: Failure;
  readonly onRaised: () => void;
  readonly onClose: () => void;
}

export function RaiseBudget({ error, onRaised, onClose }: RaiseProps): VNode {
  const [found, setFound] = useState<{ readonly budgets: Budgets; readonly at: number }>();
  const [most, setMost] = useState("");
  const [busy, setBusy] = useState(false);
  const [fault, setFault] = useState<string>();
  useEffect(() => {
    api.get<Budgets>("/budgets").then(
      ({ body }) => {
        const at = usedUp(body.items, error);
        if (at === -1) return setFault(t("budget.none"));
        setFound({ budgets: body, at });
        setMost(String(2 * limitOf(body.items[at])));
      },
      (error: unknown) => setFault(problemFrom(error).detail),
    );
  }, []);
  const item = found?.budgets.items[found.at];
  const isMore = Number(most) > limitOf(item);
  const save = async (): Promise<void> => {
    if (busy || found === undefined || item === undefined || !isMore) return;
    setBusy(true);
    setFault(undefined);
    try {
      const items = found.budgets.items.map((one, index) => {
        const { spent: _spent, reserved: _reserved, resetsAt: _resetsAt, ...kept } = one;
        return index === found.at ? { ...kept, [byMoney(one) ? "usd" : "tokens"]: Number(most) } : kept;
      });
      await api.put("/budgets", { items }, { ifMatch: `"${found.budgets.hash}"` });
      onRaised();
    } catch (error) {
      setFault(problemFrom(error).detail);
    }
    setBusy(false);
  };
  const label = item && t(byMoney(item) ? "budget.usd" : "budget.tokens", { scope: t(`scope.${item.scope}`) });
  return (
    <form
      class="remedy-form"
      onSubmit={(event) => {
        event.preventDefault();
        void save();
      }}
    >
      {item === undefined && fault === undefined && <Skeleton lines={1} />}
      {item !== undefined && label !== undefined && (
        <>
          <label class="grow">
            <span class="small">{label}</span>
            <input
              class="input"
              type="number"
              min="0"
              step="any"
              inputMode="decimal"
              value={most}
              ref={focusOnce}
              onInput={(event) => setMost(event.currentTarget.value)}
            />
            <span class="small muted">
              {t("budget.now", { limit: byMoney(item) ? money(item.usd ?? 0) : tokens(item.tokens ?? 0) })}
            </span>
          </label>
          <Button type="submit" kind="primary" size="small" busy={busy} disabled={!isMore}>
            {t("budget.save")}
          </Button>
        </>
      )}
      <Button size="small" kind="quiet" onClick={onClose}>
        {t("back")}
      </Button>
      {fault !== undefined && (
        <p class="danger-ink small" role="alert">
          {fault}
        </p>
      )}
    </form>
  );
}

/** The scope that the failure names, else what is nearest to its end. */
function usedUp(items: readonly Budget[], error: Failure): number {
  const { details } = error ?? {};
  const named = isRecord(details) ? details["scope"] : undefined;
  const share = (item: Budget): number =>
    (named === item.scope ? 1_000 : 0) +
    (byMoney(item)
      ? (item.spent?.costUsd ?? 0) / Math.max(0.000_001, limitOf(item))
      : ((item.spent?.tokens ?? 0) + (item.reserved ?? 0)) / Math.max(1, limitOf(item)));
  const [first] = items.map((item, index) => [share(item), index] as const).toSorted(([a], [b]) => b - a);
  return first?.[1] ?? -1;
}

/** One with both bounds: what is used up more of. */
function byMoney({ usd, tokens: most, spent }: Budget): boolean {
  if (usd === undefined || most === undefined) return usd !== undefined;
  return (spent?.costUsd ?? 0) / usd >= (spent?.tokens ?? 0) / most;
}

function limitOf(item: Budget | undefined): number {
  if (item === undefined) return 0;
  return (byMoney(item) ? item.usd : item.tokens) ?? 0;
}
