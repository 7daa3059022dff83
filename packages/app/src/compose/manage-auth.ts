/** Tokens and password while no gateway runs: the file itself, under the lock of the state directory. */
import { RuntimeError } from "@margay/core";
import { lockDirectory, systemClock, systemIds } from "@margay/core/internal";
import { openAuth, type AuthStore } from "../host/auth/store.ts";
import { Problem } from "../host/api/problem.ts";

/** @throws RuntimeError `state.locked` when another margay works on it; `usage.wrong` with what the gateway would say. */
export async function withAuth<Result>(
  home: string,
  use: (auth: AuthStore) => Promise<Result> | Result,
): Promise<Result> {
  using _lock = lockDirectory(home);
  using auth = openAuth({
    home,
    clock: systemClock(),
    ids: systemIds(),
    configured: undefined,
    lifetimes: () => ({ idleMs: 0, maxMs: 0 }), // no browser logs in here
  });
  try {
    return await use(auth);
  } catch (error) {
    if (error instanceof Problem) throw new RuntimeError("usage.wrong", error.message, { cause: error });
    throw error;
  }
}

/** When a token made now for so many days ends. */
export function endAfter(days: number): number {
  return systemClock().now() + days * 86_400_000;
}
