/** The plugins that a person approved: their tools for the agent, their processes while they are used, and what becomes of them when they fail. */
import { RuntimeError, type Clock, type Logger } from "@margay/core";
import { fault, messageOf, raceAbort, type HostCall, type PluginProcess } from "@margay/core/internal";
import type { Suspended } from "../../../models/plugins/approvals-file.ts";
import { changeApproved, readApproved, type ApprovedPlugin } from "./approvals.ts";

export interface PluginsOptions {
  /** The state directory. */
  readonly home: string;
  readonly clock: Clock;
  readonly log: Logger;
  /** Told once of each that is suspended. */
  readonly suspended: (name: string, why: Suspended) => void;
}
export interface Plugins extends Disposable {
  /** As they were approved when margay started, by name. */
  readonly approved: ReadonlyMap<string, ApprovedPlugin>;
  /** Why it is not used at the moment. */
  standing(name: string): Suspended | undefined;
  /** @throws RuntimeError `plugin.fault`, which is counted, `plugin.refused`; the signal's reason. */
  call(name: string, tool: string, input: unknown, call: HostCall, signal: AbortSignal): Promise<unknown>;
  hook(name: string, event: Parameters<PluginProcess["hook"]>[0], signal: AbortSignal): Promise<unknown>;
  /** Something that it gave was wrong. @returns the fault, counted. */
  wrong(name: string, why: string): RuntimeError;
}

/** So many faults within that time suspend a plugin. */
const FAULTS = { count: 3, withinMs: 5 * 60_000 } as const;
/** A process that nobody asks anything ends: what it leaked goes with it. */
const IDLE_MS = 60_000;

/** One that is used. */
interface Used {
  process?: Promise<PluginProcess> | undefined;
  open: number;
  idle?: Disposable | undefined;
  faults: readonly number[];
  /** The one that was counted last: all calls of a process that ends get the same. */
  counted?: RuntimeError;
  suspended?: Suspended | undefined;
}

export function openPlugins(options: PluginsOptions): Plugins {
  const { home, clock, log } = options;
  const approved = new Map(Object.entries(readApproved(home)));
  const used = new Map<string, Used>();
  const use = (name: string): Used => {
    let found = used.get(name);
    if (found === undefined)
      used.set(name, (found = { open: 0, faults: [], suspended: approved.get(name)?.suspended }));
    return found;
  };
  const suspend = (name: string, why: Suspended): void => {
    use(name).suspended = why;
    // It holds from here on, whatever the disk says. Told when it is written: who hears of it and starts anew finds it.
    changeApproved(home, name, (before) => before && { ...before, suspended: why })
      .catch((error: unknown) => log.error("plugin.unsuspended", { plugin: name, message: messageOf(error) }))
      .finally(() => options.suspended(name, why));
    log.warn("plugin.suspended", { plugin: name, why: why.why, ...(why.fault !== undefined && { fault: why.fault }) });
  };
  const count = (name: string, error: RuntimeError): RuntimeError => {
    const one = use(name);
    if (one.counted === error) return error;
    one.counted = error;
    const now = clock.monotonic();
    one.faults = [...one.faults.filter((at) => now - at < FAULTS.withinMs), now];
    log.warn("plugin.fault", { plugin: name, fault: error.message });
    if (one.faults.length >= FAULTS.count && one.suspended === undefined)
      suspend(name, { why: "faults", at: new Date(clock.now()).toISOString(), fault: error.message });
    return error;
  };
  const start = async (name: string): Promise<PluginProcess> => {
    const plugin = known(approved, name);
    const { begin } = await import("./begin.ts"); // at the first use: a start with plugins costs what their list costs
    const one = use(name);
    const ended = (): void => {
      one.process = undefined;
    };
    const begun = begin(home, name, plugin, { clock, log, ended });
    if (begun !== "changed") return await begun;
    suspend(name, { why: "changed", at: new Date(clock.now()).toISOString() });
    throw new RuntimeError("plugin.refused", suspendedText(name, "changed"));
  };
  const run = async (
    name: string,
    work: (process: PluginProcess) => Promise<unknown>,
    signal: AbortSignal,
  ): Promise<unknown> => {
    const one = use(name);
    if (one.suspended !== undefined) throw new RuntimeError("plugin.refused", suspendedText(name, one.suspended.why));
    one.idle?.[Symbol.dispose]();
    one.open++;
    try {
      one.process ??= begun(one, start(name));
      return await work(await raceAbort(one.process, signal)); // a deadline is no longer where it has to begin
    } catch (error) {
      if (error instanceof RuntimeError && error.code === "plugin.fault") throw count(name, error);
      if (signal.aborted && isLate(signal.reason)) count(name, fault(name, "it took too long"));
      throw error;
    } finally {
      one.open--;
      if (one.open === 0) {
        const idle = one.process;
        one.idle = clock.timer(IDLE_MS, () => void end(one, idle));
      }
    }
  };
  return {
    approved,
    standing: (name) => use(name).suspended,
    call: (name, tool, input, call, signal) => run(name, (process) => process.call(tool, input, call, signal), signal),
    hook: (name, event, signal) => run(name, (process) => process.hook(event, signal), signal),
    wrong: (name, why) => count(name, fault(name, why)),
    [Symbol.dispose]: () => {
      for (const one of used.values()) {
        one.idle?.[Symbol.dispose]();
        void end(one, one.process);
      }
    },
  };
}

/** One that does not come up is tried again at the next call. */
function begun(one: Used, process: Promise<PluginProcess>): Promise<PluginProcess> {
  process.catch(() => {
    if (one.process === process) one.process = undefined;
  });
  return process;
}

async function end(one: Used, process: Used["process"]): Promise<void> {
  if (one.process === process) one.process = undefined;
  const ended = await process?.catch(() => undefined); // it never began
  ended?.[Symbol.dispose]();
}

function known(approved: ReadonlyMap<string, ApprovedPlugin>, name: string): ApprovedPlugin {
  const plugin = approved.get(name);
  if (plugin === undefined) throw new RuntimeError("plugin.missing", `There is no plugin ${name}.`);
  return plugin;
}

function isLate(reason: unknown): boolean {
  return reason instanceof RuntimeError && reason.code === "tool.timeout";
}

/** What the model and a person read of one that is not used. Ours alone: nothing that the plugin says is in it. */
export function suspendedText(name: string, why: Suspended["why"]): string {
  const fact =
    why === "changed"
      ? `The plugin ${name} has changed since it was approved and is suspended`
      : `The plugin ${name} failed three times in five minutes and is suspended`;
  return `${fact}. Tell the operator to look at it and to run \`margay plugin approve ${name}\`.`;
}
