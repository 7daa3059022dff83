/** A login in the process of its command: no other one works on the state directory. */
import { RuntimeError } from "@margay/core";
import { Problem } from "../../../host/api/problem.ts";
import type { Cli } from "../../../host/cli/command.ts";
import { OWNER } from "../../../host/control/routes.ts";
import { authOf, openServices } from "../../../host/http/open-services.ts";
import type { LoginEvent } from "../schema.ts";
import { loginEvents, pluginWithLogin } from "./login.ts";
import { loginOf } from "./routes.ts";

/** @throws RuntimeError `usage.wrong`: it has no login; as a command that takes the lock does. */
export async function* loginAlone(cli: Cli, id: string, body: { readonly kind?: string }): AsyncGenerator<LoginEvent> {
  await using app = await cli.compose();
  using auth = authOf(app);
  const { environment, language, t, signal } = cli;
  const { services, closing } = openServices({ app, environment, loadOptions: cli.loadOptions(), auth });
  try {
    const caller = { services, language, t, credential: OWNER };
    const login = loginOf({ services, params: { id }, body });
    yield* loginEvents(login, await pluginWithLogin(login, caller), caller, signal);
  } catch (error) {
    if (!(error instanceof Problem)) throw error;
    const { detail, remedy } = (language === "zh-CN" ? error.details.zh : undefined) ?? error.details;
    throw new RuntimeError("usage.wrong", [detail, remedy].filter((text) => text !== undefined).join(" "));
  } finally {
    closing.abort(new Error("the command has ended"));
  }
}
