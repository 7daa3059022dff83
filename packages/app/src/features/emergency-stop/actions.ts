/** What `margay stop --all` and `resume --all` ask of the process that runs. */
import { z } from "zod";
import { OPERATOR } from "../../host/operator.ts";
import { operation } from "../../host/control/operation.ts";

export const EMERGENCY_STOP_OPERATIONS = {
  "estop.on": operation(z.strictObject({}), (_input, { app }) => app.agent.stopAll(OPERATOR)),
  "estop.off": operation(z.strictObject({}), async (_input, { app }) => ({
    released: await app.agent.release(OPERATOR),
  })),
} as const;
