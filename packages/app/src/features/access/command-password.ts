/** `margay gateway password`: asked for without showing it, or piped in; kept as a hash. */
import { RuntimeError } from "@margay/core";
import { EXIT, type Run } from "../../host/cli/command.ts";
import { jsonLine } from "../../host/cli/output.ts";
import { readSecret } from "../../host/cli/read-input.ts";
import { callerOf } from "../../host/control/call.ts";
import type { ACCESS_OPERATIONS } from "./actions.ts";

const call = callerOf<typeof ACCESS_OPERATIONS>();

export const setPassword: Run = async (cli) => {
  const password = await readSecret(cli, cli.t("gateway.passwordAsk"));
  if (password === undefined || password === "")
    throw new RuntimeError("usage.wrong", cli.t("gateway.passwordMissing"));
  await call(cli, "access.setPassword", { password });
  cli.terminal.out(cli.json ? jsonLine({ done: true }) : `${cli.t("gateway.passwordSet")}\n`);
  return EXIT.done;
};
