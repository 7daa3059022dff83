/** Work on the same key one after another, in the order it was asked for; other keys are not held up. */
export type Serial = <T>(key: string, work: () => Promise<T>) => Promise<T>;

export function createSerial(): Serial {
  const tails = new Map<string, Promise<void>>();
  return (key, work) => {
    const run = (tails.get(key) ?? Promise.resolve()).then(work);
    const done: Promise<void> = run
      .then(
        () => {},
        () => {}, // the caller has the failure
      )
      .then(() => {
        if (tails.get(key) === done) tails.delete(key);
      });
    tails.set(key, done);
    return run;
  };
}
