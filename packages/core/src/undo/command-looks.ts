/** The looks at the workspace around a command: before it, when nothing else is done before it starts, and after it. */
import type { BigIntStats } from "node:fs";
import type { Clock } from "../contract/base.ts";
import type { ToolContext } from "../contract/tool.ts";
import { isUntrusted, readersOf } from "../lib/labels.ts";
import type { CommandLabels } from "../labels/command-labels.ts";
import type { CommandView } from "../labels/hidden-files.ts";
import type { Attribution } from "./attribution.ts";
import type { Copies } from "./copies.ts";
import { stampOf } from "./file-state.ts";
import { manifestOf, type Opened, type UndoTarget } from "./manifest.ts";
import { keyOf, type OpenCommand } from "./open-commands.ts";
import { createSlices } from "./slices.ts";

/** What a command handles that is no file of the workspace. */
export interface CommandFacts {
  /** Why it is a stranger's, beside what it reads: asked whenever the workspace is looked at. */
  readonly causes: () => readonly string[];
  /** It may reach hosts. */
  readonly network: boolean;
}

export interface CommandLooks {
  /** Before a command starts. Does not throw but `signal.reason`: a turn goes on without a copy, and the list says so. */
  commandStarting(context: ToolContext, facts?: CommandFacts): Promise<void>;
  /** Nothing else is done to the workspace before it starts. Does not throw. */
  commandReady(context: ToolContext, view?: CommandView): Promise<void>;
  /** It has ended, or was found ended after a restart. Does not throw. */
  commandEnded(context: Pick<ToolContext, "sessionId" | "turnId" | "callId">): Promise<CommandEnd>;
}

export interface CommandEnd {
  /** Why it is a stranger's; empty: it is not. */
  readonly causes: readonly string[];
  /** So many files and directories became a stranger's by it. */
  readonly labelled: number;
  /** Files that run when somebody starts them, and are others now. */
  readonly started: readonly string[];
}

interface LookDeps extends Pick<Attribution, "look" | "opening" | "takeStarted"> {
  readonly turns: string;
  readonly clock: Pick<Clock, "monotonic">;
  readonly maxBytes: number;
  readonly labels: CommandLabels | undefined;
  readonly copiesOf: () => Promise<Copies>;
  /** One at a time, and no failure is the turn's. */
  readonly guarded: (turn: UndoTarget, signal: AbortSignal | undefined, work: () => Promise<void>) => Promise<void>;
  /** Nobody will say any more when they ended. */
  readonly closeLeft: (copies: Copies, of: (command: OpenCommand) => boolean) => Promise<void>;
}

export function commandLooks(deps: LookDeps): CommandLooks {
  const { turns, clock, maxBytes, labels, look, opening, takeStarted, copiesOf, guarded, closeLeft } = deps;
  /** Open, and not running yet: those that are not among them run, also those of a process that died. */
  const starting = new Set<string>();
  return {
    commandStarting: (context, { causes, network } = { causes: () => [], network: false }) => {
      const target = targetOf(context);
      const told = causes();
      const facts: Opened = {
        untrusted: isUntrusted(context.label),
        ...(told.length > 0 && { causes: told }),
        ...(network && { network }),
        ...readersOf(context.label),
      };
      const isStrange = facts.untrusted || network || told.length > 0 || facts.readers !== undefined;
      if (maxBytes === 0 && !isStrange && labels?.needed() !== true) return Promise.resolve();
      return guarded(target, context.signal, async () => {
        const copies = await copiesOf();
        // A turn of this conversation that died with the last process has ended by now.
        await closeLeft(copies, ({ session, turn }) => session === target.session && turn !== target.turn);
        const manifest = await copies.begin(target);
        const { excluded, gaps, complete } = await look(copies, true, { signal: context.signal });
        opening(copies);
        manifest.append(...gaps, { opened: context.callId, excluded, ...facts });
        // What is written is open, also when the disk refuses to sync it: its end closes it.
        const command = { ...target, call: context.callId, ...facts };
        copies.open.started(command);
        starting.add(keyOf(command));
        labels?.begin(keyOf(command), { turn: `${target.session}/${target.turn}`, complete, causes, network });
        await manifest.sync();
      });
    },
    commandReady: (context, view) => {
      if (labels === undefined) return Promise.resolve();
      const key = keyOf({ ...targetOf(context), call: context.callId });
      if (view !== undefined) labels.sees(key, view);
      return guarded(targetOf(context), undefined, async () => {
        starting.delete(key); // before what can fail: then it runs, and was not looked at
        const copies = await copiesOf();
        const others = copies.open.all().filter((command) => keyOf(command) !== key);
        if (!others.every((command) => starting.has(keyOf(command)))) return;
        const restamped = (path: string, before: BigIntStats, after: BigIntStats): void =>
          copies.index.restamped(path, stampOf(before), stampOf(after));
        await labels.arm(copies.index.entries.keys(), restamped, createSlices(clock));
      });
    },
    commandEnded: async (context) => {
      const target = targetOf(context);
      const name = { ...target, call: context.callId };
      let causes: readonly string[] | undefined;
      let labelled = 0;
      await guarded(target, undefined, async () => {
        const copies = await copiesOf();
        starting.delete(keyOf(name)); // it may never have run
        const command = copies.open.get(name);
        if (command === undefined) return;
        try {
          const seen = await look(copies, false);
          if (seen.gaps.length > 0) manifestOf(turns, target.session, target.turn).append(...seen.gaps);
          causes = seen.causes;
        } finally {
          copies.open.stopped(command);
        }
        copies.open.close(command);
        labelled = labels?.end(keyOf(command)) ?? 0;
      });
      // Nobody looked, or the look failed: whatever lies there may have been read.
      causes ??= await labels?.causes([{ key: keyOf(name), untrusted: false }], [], createSlices(clock));
      return { causes: causes ?? [], labelled, started: takeStarted(target) };
    },
  };
}

export function targetOf({ sessionId: session, turnId: turn }: Pick<ToolContext, "sessionId" | "turnId">): UndoTarget {
  return { session, turn };
}
