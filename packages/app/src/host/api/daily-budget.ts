/** What some sessions have spent today, against a limit: whoever holds a secret must not hold the purse too. */
import type { ModelRef } from "@margay/core";
import { costOf, spendingOf } from "@margay/core/internal";
import type { App } from "../../app.ts";
import { priceOf } from "../../models/choose-model.ts";

/**
 * @param isOf by session key.
 * @returns how long nothing more is accepted, in milliseconds; undefined: there is room.
 */
export async function dailyWait(
  isOf: (key: string) => boolean,
  limitUsd: number | undefined,
  app: App,
): Promise<number | undefined> {
  if (limitUsd === undefined) return undefined;
  const now = app.clock.now();
  const { config, timeZone } = app.inside.loaded();
  const { start, end } = dayOf(now, timeZone);
  /** What has no known price counts nothing. */
  const priced = (model: ModelRef | undefined) => (model === undefined ? undefined : priceOf(model, config));
  let spent = 0;
  for (const { id, key, updatedAt, fault } of await app.agent.sessions.list()) {
    if (fault !== undefined || updatedAt < start || !isOf(key)) continue;
    for await (const { at, usage, model } of spendingOf(app.inside.readCommits(id)))
      if (at >= start) spent += usage.costUsd ?? costOf(usage, priced(model)) ?? 0;
  }
  for (const gone of (await app.agent.sessions.gone?.()) ?? [])
    if (isOf(gone.key))
      for (const { at, usage, model } of gone.spent)
        if (at >= start) spent += usage.costUsd ?? costOf(usage, priced(model)) ?? 0;
  return spent >= limitUsd ? end - now : undefined;
}

/** From midnight to midnight on the wall clock there; a day of a clock change is an hour off at its end. */
function dayOf(now: number, timeZone: string): { readonly start: number; readonly end: number } {
  const parts = new Intl.DateTimeFormat("en", {
    timeZone,
    hourCycle: "h23",
    hour: "numeric",
    minute: "numeric",
    second: "numeric",
  }).formatToParts(now);
  const value = (type: string): number => Number(parts.find((part) => part.type === type)?.value ?? 0);
  const start = now - ((value("hour") * 60 + value("minute")) * 60 + value("second")) * 1000 - (now % 1000);
  return { start, end: start + 86_400_000 };
}
