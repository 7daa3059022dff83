/** What routes work with, made over a composed app: by the gateway for the network, and by every process for its control door. */
import { accessSync, constants } from "node:fs";
import { messageOf } from "@margay/core/internal";
import type { App } from "../../app.ts";
import { userOf } from "../auth/identify.ts";
import type { AuthStore } from "../auth/store.ts";
import { openAuth } from "../auth/store.ts";
import { onceFor } from "../api/once.ts";
import type { GatewayEvents, Services } from "../api/services.ts";
import { createMetrics } from "./metrics.ts";
import { createRates } from "./rates.ts";
import { isLoopback } from "./start-checks.ts";

export interface ServicesOptions {
  readonly app: App;
  readonly environment: Services["environment"];
  readonly loadOptions: Services["loadOptions"];
  readonly auth: AuthStore;
  readonly events?: Partial<GatewayEvents>;
  readonly restart?: Services["restart"];
  readonly meanwhileFault?: string;
  /** Of the pages. Default: there are none. */
  readonly build?: string;
  /** Default: none. */
  readonly ofPersons?: Services["ofPersons"];
  /** The bound address. Default: there is none. */
  readonly origin?: () => string;
  /** The agent has begun: `/ready` asks besides what a disk and the journals say. Default: yes. */
  readonly working?: () => boolean;
}

export interface OpenServices {
  readonly services: Services;
  /** Nothing new is taken. */
  readonly closing: AbortController;
  /** What is still being worked on has had its time. */
  readonly late: AbortController;
}

export function openServices(options: ServicesOptions): OpenServices {
  const { app, auth, restart, meanwhileFault, build = "", ofPersons = () => [] } = options;
  const { origin = () => "", working = () => true } = options;
  const closing = new AbortController();
  const late = new AbortController();
  const services: Services = {
    app,
    environment: options.environment,
    loadOptions: options.loadOptions,
    auth,
    rates: createRates(app.clock),
    metrics: createMetrics(),
    once: onceFor(app),
    events: { codeUsedAgain: () => {}, setUp: () => {}, ...options.events },
    ...(restart !== undefined && { restart }),
    ...(meanwhileFault !== undefined && { meanwhileFault }),
    build,
    ofPersons,
    origin,
    ready: () =>
      working() &&
      !closing.signal.aborted &&
      canWrite(app.loaded.places.home) &&
      app.inside.storageFault() === undefined,
    starting: () => !working() && !closing.signal.aborted,
    closing: closing.signal,
    late: late.signal,
  };
  const keep = (): Promise<void> => keepLogins(app, auth);
  void keep(); // what was changed while nothing ran
  closing.signal.addEventListener(
    "abort",
    app.inside.watchConfig(() => void keep()),
    { once: true },
  );
  return { services, closing, late };
}

/** A login, and what is open with it, ends with the configuration that it was one of. */
async function keepLogins({ inside, log }: App, auth: AuthStore): Promise<void> {
  const { people, gateway } = inside.loaded().config;
  try {
    await auth.keepBrowsers({
      isThere: (person) => Object.hasOwn(people, person),
      isVouched: (user, person) => {
        const found = userOf(user, gateway.proxyAuth);
        return found !== undefined && found[1] === person;
      },
    });
  } catch (error) {
    log.error("logins.unkept", { message: messageOf(error) });
  }
}

/** Who may come in, by the configuration of the app. @throws RuntimeError `config.invalid` when what is kept of it is damaged. */
export function authOf(app: App): AuthStore {
  return openAuth({
    docs: app.loaded.places.docs,
    clock: app.clock,
    ids: app.ids,
    configured: app.loaded.config.gateway.token,
    lifetimes: () => lifetimes(app),
  });
}

const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;

/** How long a browser's login lasts: shorter where others can reach the gateway. */
function lifetimes(app: App): { readonly idleMs: number; readonly maxMs: number } {
  const { auth, host } = app.inside.loaded().config.gateway;
  const local = isLoopback(host);
  return {
    idleMs: auth.idleMs ?? (local ? 7 * DAY_MS : 12 * HOUR_MS),
    maxMs: auth.maxMs ?? (local ? 30 * DAY_MS : 7 * DAY_MS),
  };
}

/** A disk that takes no more must not look healthy. */
function canWrite(home: string): boolean {
  try {
    accessSync(home, constants.W_OK);
    return true;
  } catch {
    return false;
  }
}
