/** Work that only who holds a name may do: begun when it is held, ended when it no longer is, and begun again. */
interface Leases {
  hold(name: string, signal: AbortSignal): Promise<AbortSignal>;
}

/** @param work Ends when its signal aborts. @returns when `work` ended by itself. @throws `signal.reason`. */
export async function whileHeld(
  leases: Leases | undefined,
  name: string,
  work: (signal: AbortSignal) => Promise<void>,
  signal: AbortSignal,
): Promise<void> {
  if (leases === undefined) return work(signal);
  for (;;) {
    const lost = await leases.hold(name, signal);
    const ended = await work(AbortSignal.any([signal, lost])).catch((error: unknown) => {
      if (!lost.aborted) throw error;
    });
    if (signal.aborted || !lost.aborted) return ended;
  }
}
