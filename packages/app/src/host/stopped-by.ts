/** Why a command ends before it is done: the signal that asked for it. */
export class StoppedBy extends Error {
  readonly by: NodeJS.Signals;

  constructor(by: NodeJS.Signals) {
    super(`stopped by ${by}`);
    this.by = by;
  }
}

/** Ctrl-C: a person wants the work itself to stop, not only the program. */
export function isInterrupt(signal: AbortSignal): boolean {
  return signal.aborted && signal.reason instanceof StoppedBy && signal.reason.by === "SIGINT";
}
