/** A temporary conversation for one message: it ends when the command does, also when that was interrupted. */
import type { Cli } from "../../host/cli/command.ts";
import { callerOf } from "../../host/control/call.ts";
import type { Operation } from "../../host/control/operation.ts";
import { newTemporaryKey } from "../../host/tui/session-key.ts";

const call = callerOf<{ readonly "sessions.end": Operation<{ readonly key: string }, boolean> }>();

export function temporaryFor(cli: Cli): AsyncDisposable & { readonly key: string } {
  const key = newTemporaryKey();
  return {
    key,
    [Symbol.asyncDispose]: async () => {
      await call({ ...cli, signal: new AbortController().signal }, "sessions.end", { key });
    },
  };
}
