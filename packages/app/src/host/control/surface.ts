/** What a process serves. */
import type { Route } from "../api/route.ts";
import type { SocketHandler } from "../live/socket-handler.ts";
import type { Checks } from "../finding.ts";
import type { OperationSet } from "./operation.ts";

export interface Surface {
  readonly routes: readonly Route[];
  readonly sockets: readonly SocketHandler[];
  /** What commands ask for, by name. */
  readonly operations: OperationSet;
  /** What `margay doctor` looks at. */
  readonly checks: Checks;
}

/** It is loaded when somebody asks. */
export type LoadSurface = () => Promise<Surface>;
