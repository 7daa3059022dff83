/** What routes and sockets work with: the composed app, and what the gateway itself keeps. */
import type { App } from "../../app.ts";
import type { Environment } from "../../config/environment.ts";
import type { LoadOptions } from "../../config/load.ts";
import type { AuthStore } from "../auth/store.ts";
import type { Rates } from "../http/rates.ts";
import type { Metrics } from "../http/metrics.ts";

export type Config = App["loaded"]["config"];

export interface Services {
  readonly app: App;
  readonly environment: Environment;
  /** How the configuration was loaded: to load it again with the same flags. */
  readonly loadOptions: LoadOptions;
  readonly auth: AuthStore;
  /** Limits besides the one of every request: sends, for example. */
  readonly rates: Rates;
  readonly metrics: Metrics;
  /** What the process that started the gateway is told. */
  readonly events: GatewayEvents;
  /** What a route keeps besides: made at first use, once per gateway, known by the function that makes it. */
  readonly once: <T>(make: (app: App) => T) => T;
  /** Begins anew. Absent: nothing would. @param meanwhile Is done in between, while nobody holds the state directory. */
  readonly restart?: (meanwhile?: () => Promise<void>) => void;
  /** What was to be done between the last gateway and this one. Absent: nothing was, or it was done. */
  readonly meanwhileFault?: string;
  /** Of the pages this gateway serves: a page of another build is out of date. */
  readonly build: string;
  /** Ids of the routes that a login of a person may use. */
  readonly ofPersons: () => readonly string[];
  /** The bound address, `http://127.0.0.1:18790`. */
  readonly origin: () => string;
  /** Messages are taken and worked on. */
  readonly ready: () => boolean;
  /** What an earlier process left is still being read: not all is known yet, and no platform is heard. */
  readonly starting: () => boolean;
  /** Aborts when the gateway begins to close. */
  readonly closing: AbortSignal;
  /** Aborts when what is still being worked on then has had its time (`gateway.shutdownMs`), with the Problem that answers it. */
  readonly late: AbortSignal;
}

export interface GatewayEvents {
  /** A one-use link was tried again: somebody else may have seen it. */
  codeUsedAgain(kind: string, address: string): void;
  /** The first password was set: the agent may start. */
  setUp(): void;
}
