/** The routes and sockets of the API behind the control door: whoever may open it is the owner, and no browser is there. */
import type { IncomingMessage, ServerResponse } from "node:http";
import { never } from "@margay/core/internal";
import type { App } from "../../app.ts";
import { languageFor, type Admitted, type Dispatch } from "../http/admit.ts";
import type { Credential } from "../auth/credential.ts";
import { handleRequest } from "../http/dispatch.ts";
import { authOf, openServices } from "../http/open-services.ts";
import type { RequestLine } from "../http/request-line.ts";
import { createTable } from "../http/table.ts";
import { createUpgrade, type Upgrade } from "../http/upgrade.ts";
import type { Services } from "../api/services.ts";
import { translator } from "../../texts/translate.ts";
import { runOperation } from "./in-process.ts";
import type { LoadSurface } from "./surface.ts";
import type { Operate } from "./terminal-server.ts";

export interface DoorOptions extends Pick<Services, "environment" | "loadOptions"> {
  readonly surface: LoadSurface;
  /** Those of a gateway. Default: made at the first request. */
  readonly services?: Services;
}

export interface DoorRoutes {
  readonly operate: Operate;
  readonly request: (request: IncomingMessage, response: ServerResponse) => void;
  readonly upgrade: Upgrade;
  close(): Promise<void> | void;
}

const NO_ASSETS: Dispatch["assets"] = { build: "", has: () => false, read: () => undefined };

export async function createDoorRoutes(app: App, options: DoorOptions): Promise<DoorRoutes> {
  const { services, end } =
    options.services === undefined ? ownServices(app, options) : { services: options.services, end: () => {} };
  const { routes, sockets, operations } = await options.surface();
  const dispatch: Dispatch = {
    services,
    table: createTable(routes),
    assets: NO_ASSETS,
    admit: (request, line) => asOwner(request, line, dispatch),
    tls: false,
    translator,
  };
  return {
    operate: (asked, signal) => runOperation(operations, asked, { app, services, signal, alone: false }),
    request: (request, response) => void handleRequest(request, response, dispatch), // never rejects
    upgrade: createUpgrade(dispatch, sockets),
    close: end,
  };
}

function ownServices(app: App, options: DoorOptions): { readonly services: Services; readonly end: () => void } {
  const auth = authOf(app);
  const { services, closing } = openServices({ ...options, app, auth });
  return {
    services,
    end: () => {
      closing.abort(new Error("the process is stopping"));
      auth[Symbol.dispose]();
    },
  };
}

/** Whoever may open the socket may read `auth.json`: the owner, with a proof that is always fresh. */
export const OWNER: Credential = {
  kind: "local",
  id: "local",
  name: "user",
  scopes: new Set(["owner"]),
  gone: never(), // it is not taken away
};

function asOwner(request: IncomingMessage, line: RequestLine, { services }: Dispatch): Admitted {
  return {
    ...line,
    presented: { by: "token", credential: OWNER, problem: undefined },
    address: "local",
    language: languageFor(request, services),
    secure: true,
    corsOrigin: undefined,
    local: true,
  };
}
