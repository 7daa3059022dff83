/** What goes on with a value that is there, or that comes: at once when it can. */
export type Soon<T> = T | PromiseLike<T>;

export function after<T, U>(value: Soon<T>, next: (value: T) => Soon<U>): U | Promise<U> {
  const result = isComing(value) ? value.then(next) : next(value);
  return isComing(result) ? Promise.resolve(result) : result;
}

function isComing<T>(value: Soon<T>): value is PromiseLike<T> {
  return typeof value === "object" && value !== null && "then" in value && typeof value.then === "function";
}
