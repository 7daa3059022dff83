// What the main thread of a page spends, in CPU time: other processes do not change it.
import type { Page } from "playwright-core";
import type { BrowserPlace } from "./support.ts";

/** Milliseconds of the page's main thread so far: a function that reads them. */
export async function mainThreadMs(page: Page): Promise<() => Promise<number>> {
  const devtools = await page.context().newCDPSession(page);
  await devtools.send("Performance.enable", { timeDomain: "threadTicks" });
  return async () => {
    const { metrics } = await devtools.send("Performance.getMetrics");
    return (metrics.find(({ name }) => name === "TaskDuration")?.value ?? 0) * 1000;
  };
}

export interface Tasks<Value> {
  readonly value: Value;
  /** The longest task of any page's main thread. */
  readonly longestMs: number;
}

interface TraceEvent {
  readonly name: string;
  readonly tid: number;
  readonly pid: number;
  /** CPU time in microseconds, of a task. */
  readonly tdur?: number;
  readonly args?: { readonly name?: string };
}

/** Looks at every task of the main thread while `work` goes on. */
export async function tasksOf<Value>(place: BrowserPlace, work: () => Promise<Value>): Promise<Tasks<Value>> {
  const categories = ["disabled-by-default-devtools.timeline", "__metadata"];
  await place.browser.startTracing(place.page, { categories });
  const value = await work();
  const trace = JSON.parse((await place.browser.stopTracing()).toString()) as { traceEvents: readonly TraceEvent[] };
  const isMain = ({ name, args }: TraceEvent): boolean => name === "thread_name" && args?.name === "CrRendererMain";
  const main = new Set(trace.traceEvents.filter(isMain).map(({ pid, tid }) => `${pid}:${tid}`));
  const tasks = trace.traceEvents.filter(({ name, pid, tid }) => name.endsWith("RunTask") && main.has(`${pid}:${tid}`));
  return { value, longestMs: tasks.reduce((most, { tdur = 0 }) => Math.max(most, tdur / 1000), 0) };
}
