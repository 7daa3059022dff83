/** An operation, at the process that holds the lock when one does, else in this one. */
import { raceAbort } from "@margay/core/internal";
import type { App } from "../../app.ts";
import type { Environment } from "../../config/environment.ts";
import type { LoadOptions } from "../../config/load.ts";
import type { Places } from "../../config/paths.ts";
import type { Translate } from "../../texts/translate.ts";
import { atHolder } from "./holder.ts";
import type { Operation, OperationSet } from "./operation.ts";
import type { LoadSurface } from "./surface.ts";
import { openLink } from "./terminal-client.ts";

/** What it needs of a command. */
export interface Asking {
  readonly places: Places;
  readonly environment: Environment;
  readonly t: Translate;
  readonly signal: AbortSignal;
  readonly surface: LoadSurface;
  loadOptions(): LoadOptions;
  compose(): Promise<App>;
}

type InputOf<One> = One extends Operation<infer Input, unknown> ? Input : never;
type AnswerOf<One> = One extends Operation<never, infer Answer> ? Answer : never;

/** @returns a function that calls the operations of a feature. @example `callerOf<typeof CRON_OPERATIONS>()` */
export function callerOf<Set extends OperationSet>() {
  /** @throws RuntimeError as the operation does; `state.locked` when the holder of the lock does not answer. */
  return async <Name extends keyof Set & string>(
    asking: Asking,
    name: Name,
    input: InputOf<Set[Name]>,
  ): Promise<AnswerOf<Set[Name]>> => {
    const answered = await atHolder(asking, async (path, patience) => {
      using link = await openLink(path, patience);
      return { answer: await raceAbort(link.ask("operation", { name, input }), asking.signal) };
    });
    const answer = answered === undefined ? await alone(asking, name, input) : answered.answer;
    return answer as AnswerOf<Set[Name]>; // made of JSON by the operation of that name
  };
}

async function alone(asking: Asking, name: string, input: unknown): Promise<unknown> {
  await using app = await asking.compose();
  const { performAlone } = await import("./in-process.ts");
  return await performAlone(app, asking, { name, input }); // before the app is released
}
