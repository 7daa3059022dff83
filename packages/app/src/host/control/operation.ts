/** What a command asks of the process that holds the lock, or does by itself when none does: the same either way. */
import type { z } from "zod";
import { RuntimeError } from "@margay/core";
import type { App } from "../../app.ts";
import { Problem } from "../api/problem.ts";
import type { Services } from "../api/services.ts";

export interface OperationContext {
  readonly app: App;
  readonly services: Services;
  /** This process does nothing else: what is not waited for does not happen. */
  readonly alone: boolean;
  /** Aborts when who asked is gone. */
  readonly signal: AbortSignal;
}

/** Input and answer are JSON on the way. */
export interface Operation<Input, Answer> {
  /** `Input` stands in it for whoever calls. */
  readonly run: (input: Input, context: OperationContext) => Promise<Answer>;
}

/** Of one feature, by name: `cron.list`. */
export type OperationSet = Readonly<Record<string, Operation<never, unknown>>>;

/** @param schema Of the input: a command of another version may ask. */
export function operation<Schema extends z.ZodType, Answer>(
  schema: Schema,
  perform: (input: z.output<Schema>, context: OperationContext) => Promise<Answer> | Answer,
): Operation<z.input<Schema>, Answer> {
  return {
    run: async (input, context) => {
      const parsed = schema.safeParse(input);
      if (!parsed.success)
        throw new RuntimeError(
          "usage.wrong",
          `This margay and the one that runs are of different versions: ${parsed.error.message}`,
        );
      try {
        return await perform(parsed.data, context);
      } catch (error) {
        if (error instanceof Problem) throw new RuntimeError("usage.wrong", error.message, { cause: error });
        throw error;
      }
    },
  };
}
