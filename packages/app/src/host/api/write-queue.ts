/** Changes of documents happen one after the other: what was compared with If-Match is what is replaced. */
export type WriteQueue = <T>(work: () => Promise<T>) => Promise<T>;

/** For `services.once`. */
export function createWriteQueue(): WriteQueue {
  let tail: Promise<unknown> = Promise.resolve();
  return <T>(work: () => Promise<T>): Promise<T> => {
    const done = tail.then(work);
    tail = done.catch(() => {}); // the caller has the failure
    return done;
  };
}
