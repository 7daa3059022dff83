/** What holds for the whole gateway and belongs above every chat: the emergency stop, exposure, budgets, a restart. */
import { signal } from "@preact/signals";
import type { z } from "zod";
import type { BudgetsResult } from "../../features/usage/budgets-schema.ts";
import type { SystemView } from "../../features/system/schema.ts";
import { api } from "../api.ts";
import { link } from "./link.ts";

type Budget = z.infer<typeof BudgetsResult>["items"][number];

export interface BudgetUse {
  readonly budget: Budget;
  /** Of what it allows; 1 and more: used up. */
  readonly share: number;
}

export const estop = signal(false);
/** The gateway still reads what an earlier process left. */
export const isStarting = signal(false);
/** No model is set up: what answers is a small program of margay's own. Undefined until the gateway said. */
export const isPractice = signal<boolean | undefined>(undefined);
/** Others reach it over plain HTTP. */
export const isPlain = signal(false);
/** Nothing scheduled runs: margay crashed three times within five minutes. */
export const isScheduleHeld = signal(false);
/** Commands are offered and nothing confines them; undefined: they are confined, or not offered. */
export const sandboxFault = signal<{ readonly isChosen: boolean; readonly reason: string } | undefined>(undefined);
/** Events that nobody has seen. */
export const unseen = signal(0);
/** Settings that wait for a restart. */
export const pendingRestart = signal<readonly string[]>([]);
/** Something starts margay again when it ends. */
export const isSupervised = signal(false);
/** What is said in a recording can be written down. */
export const takesVoice = signal(false);
/** The budget with the least left, of those that count over all chats. */
export const budget = signal<BudgetUse | undefined>(undefined);

/** What is spent changes with every request of every chat: it is looked at no more often than this. */
const BUDGET_EVERY_MS = 3_000;
const budgetTimer = { current: undefined as ReturnType<typeof setTimeout> | undefined };

export async function loadSystem(): Promise<void> {
  await Promise.all([
    quietly(async () => {
      estop.value = (await api.get<{ on: boolean }>("/estop")).body.on;
    }),
    quietly(async () => {
      const { body } = await api.get<SystemView>("/system");
      isPractice.value = body.practice;
      isStarting.value = body.starting === true;
      isPlain.value = body.exposure.plain;
      isScheduleHeld.value = body.scheduleHeldSince !== undefined;
      const { ok, commands, kind, reason = kind } = body.sandbox;
      sandboxFault.value = ok || !commands ? undefined : { isChosen: kind === "none", reason: reason.trim() };
      unseen.value = body.notifications;
      pendingRestart.value = body.pendingRestart;
      isSupervised.value = body.supervised;
      takesVoice.value = body.transcription;
    }),
    loadBudgets(),
  ]);
}

function loadBudgets(): Promise<void> {
  return quietly(async () => {
    const { body } = await api.get<z.infer<typeof BudgetsResult>>("/budgets");
    const uses = body.items.flatMap((one) => (one.spent === undefined ? [] : [{ budget: one, share: shareOf(one) }]));
    budget.value = uses.toSorted((a, b) => b.share - a.share)[0];
  });
}

function shareOf({ usd, tokens, spent }: Budget): number {
  const ofMoney = usd === undefined ? 0 : (spent?.costUsd ?? 0) / Math.max(usd, Number.MIN_VALUE);
  const ofTokens = tokens === undefined ? 0 : (spent?.tokens ?? 0) / tokens;
  return Math.max(ofMoney, ofTokens);
}

export function watchSystem(): void {
  link().listen((frame) => {
    if (frame.type !== "topic") return;
    if (frame.topic === "system") void loadSystem();
    if (frame.topic === "usage") void loadBudgets();
    if (frame.topic === "sessions" && budget.value !== undefined)
      budgetTimer.current ??= setTimeout(() => {
        budgetTimer.current = undefined;
        void loadBudgets();
      }, BUDGET_EVERY_MS);
  });
  link().subscribe(() => ({ topic: "usage" }));
  link().subscribe(
    () => ({ topic: "system" }),
    () => void loadSystem(), // what the other topic is about too
  );
}

async function quietly(work: () => Promise<void>): Promise<void> {
  try {
    await work();
  } catch {
    // the bar says when the gateway is away
  }
}
