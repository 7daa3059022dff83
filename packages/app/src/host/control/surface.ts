/** What a process serves. */
import type { Route } from "../api/route.ts";
import type { SocketHandler } from "../live/socket-handler.ts";
import type { Checks } from "../finding.ts";
import type { Services } from "../api/services.ts";
import type { Part } from "../run-parts.ts";
import type { OperationSet } from "./operation.ts";

export interface Surface {
  readonly routes: readonly Route[];
  readonly sockets: readonly SocketHandler[];
  /** What commands ask for, by name. */
  readonly operations: OperationSet;
  /** What `margay doctor` looks at. */
  readonly checks: Checks;
  /** What runs as long as a gateway does. */
  readonly parts: readonly ((services: Services) => Part)[];
}

/** It is loaded when somebody asks. */
export type LoadSurface = () => Promise<Surface>;
