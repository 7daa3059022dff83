/** An operation in this process: by whoever holds the lock for others, or by a command that took it for this one thing. */
import { RuntimeError, type Json } from "@margay/core";
import type { App } from "../../app.ts";
import { authOf, openServices, type ServicesOptions } from "../http/open-services.ts";
import type { OperationContext, OperationSet } from "./operation.ts";
import type { LoadSurface } from "./surface.ts";
import type { TerminalCalls } from "./terminal-frames.ts";

type Asked = TerminalCalls["operation"]["input"];

/** @throws RuntimeError as the operation does; `usage.wrong` for one of another version. */
export async function runOperation(
  operations: OperationSet,
  { name, input }: Asked,
  context: OperationContext,
): Promise<unknown> {
  const found = Object.hasOwn(operations, name) ? operations[name] : undefined;
  if (found === undefined)
    throw new RuntimeError("usage.wrong", `The margay that runs does not know ${name}: restart it.`);
  return found.run(input as never, context); // its schema looks at it
}

/** What it is made with. */
export interface Alone {
  readonly environment: ServicesOptions["environment"];
  readonly surface: LoadSurface;
  readonly signal: AbortSignal;
  loadOptions(): ServicesOptions["loadOptions"];
}

/** The command holds the lock for as long as it lasts. The answer is made of JSON, as if another process had given it. */
export async function performAlone(
  app: App,
  { environment, surface, signal, ...alone }: Alone,
  asked: Asked,
): Promise<unknown> {
  using auth = authOf(app);
  const { services, closing } = openServices({ app, environment, loadOptions: alone.loadOptions(), auth });
  try {
    const { operations } = await surface();
    const answer = await runOperation(operations, asked, { app, services, signal, alone: true });
    return JSON.parse(JSON.stringify(answer ?? null)) as Json;
  } finally {
    closing.abort(new Error("the command has ended"));
  }
}
