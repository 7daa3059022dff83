/** The terminal is given back whatever ends the process: a normal end, an uncaught error, a signal. */
type Stop = () => void;

/**
 * @param stop Gives the terminal back; may be called several times.
 * @param quit Ends the chat in order after SIGTERM or SIGHUP.
 * @returns the function that takes the guards off.
 */
export function guardTerminal(stop: Stop, quit: (signal: NodeJS.Signals) => void): Stop {
  const signals: readonly NodeJS.Signals[] = ["SIGTERM", "SIGHUP"];
  // Before the error is printed, so that the person can read it.
  process.on("uncaughtExceptionMonitor", stop);
  process.on("exit", stop);
  for (const signal of signals) process.on(signal, quit);
  return () => {
    process.off("uncaughtExceptionMonitor", stop);
    process.off("exit", stop);
    for (const signal of signals) process.off(signal, quit);
  };
}
