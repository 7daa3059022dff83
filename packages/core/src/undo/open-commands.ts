/** Commands that have not ended, of this process and of one that died: what changes in the workspace is theirs. */
import { manifestOf, type Opened, readManifest, type UndoTarget } from "./manifest.ts";
import { turnFiles } from "./prune.ts";
import type { Slices } from "./slices.ts";

export interface CommandName extends UndoTarget {
  readonly call: string;
}
export interface OpenCommand extends CommandName, Opened {}

export interface OpenCommands {
  all(): readonly OpenCommand[];
  get(name: CommandName): OpenCommand | undefined;
  /** This process runs it from now on. */
  started(command: OpenCommand): void;
  /** One that was open with it is a stranger's: so is this one from now on, also when the other has ended. */
  share(name: CommandName, causes: readonly string[]): void;
  /** This process runs it no longer. */
  stopped(name: CommandName): void;
  isRunning(name: CommandName): boolean;
  /** All that it changed is written down. */
  close(command: OpenCommand): void;
}

/** Those whose end no manifest names. */
export async function readOpenCommands(turns: string, slices: Slices): Promise<OpenCommands> {
  const open = new Map<string, OpenCommand>();
  const running = new Set<string>();
  for (const { file } of turnFiles(turns)) {
    const changes = await readManifest(file, slices);
    for (const [call, facts] of changes?.open ?? []) {
      const command = { session: changes?.session ?? "", turn: changes?.turn ?? "", call, ...facts };
      open.set(keyOf(command), command);
    }
  }
  return {
    all: () => [...open.values()],
    get: (name) => open.get(keyOf(name)),
    started: (command) => {
      open.set(keyOf(command), command);
      running.add(keyOf(command));
    },
    share: (name, causes) => {
      const command = open.get(keyOf(name));
      const all = [...new Set([...(command?.causes ?? []), ...causes])];
      if (command === undefined || all.length === command.causes?.length) return;
      const { session, turn, call, ...facts } = { ...command, causes: all };
      manifestOf(turns, session, turn).append({ opened: call, excluded: [], ...facts });
      open.set(keyOf(command), { ...command, causes: all });
    },
    stopped: (name) => void running.delete(keyOf(name)),
    isRunning: (name) => running.has(keyOf(name)),
    close: (command) => {
      manifestOf(turns, command.session, command.turn).append({ closed: command.call });
      open.delete(keyOf(command));
    },
  };
}

export function keyOf({ session, turn, call }: CommandName): string {
  return `${session}/${turn}/${call}`;
}
