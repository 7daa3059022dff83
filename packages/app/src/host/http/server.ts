/** The gateway: one HTTP server over the composed app, its start and its end. */
import { once } from "node:events";
import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import { createServer as createTlsServer, type Server as TlsServer } from "node:https";
import { isIP, type AddressInfo, type Socket } from "node:net";
import { join } from "node:path";
import { accessSync, constants, rmSync } from "node:fs";
import { RuntimeError } from "@margay/core";
import { messageOf, replaceFile } from "@margay/core/internal";
import type { App } from "../../app.ts";
import { pathIn } from "../../config/paths.ts";
import { translator } from "../../texts/translate.ts";
import { assetDirectory, openAssets } from "./assets.ts";
import { openAuth, type AuthStore } from "../auth/store.ts";
import { eventsOf } from "../sessions/access.ts";
import { startEvents } from "../live/start.ts";
import { boundConnections } from "./connections.ts";
import type { Dispatch } from "./admit.ts";
import { handleRequest } from "./dispatch.ts";
import { createGuards } from "./guards.ts";
import { createRates } from "./rates.ts";
import { createTable } from "./table.ts";
import { followKeys, readKeys, type KeyFiles } from "./tls.ts";
import { createUpgrade } from "./upgrade.ts";
import { createMetrics } from "./metrics.ts";
import { onceFor } from "../api/once.ts";
import { ROUTES } from "../../compose/routes.ts";
import type { GatewayEvents, Services } from "../api/services.ts";
import { SOCKETS } from "../../compose/sockets.ts";
import { checkStart, isLoopback } from "./start-checks.ts";
import { followTurns } from "./turn-metrics.ts";
import { stopping } from "../api/problem.ts";

export interface GatewayOptions {
  readonly app: App;
  readonly environment: Services["environment"];
  readonly loadOptions: Services["loadOptions"];
  /** Folder of the built pages. Default: where the build puts it. */
  readonly pages?: string;
  readonly events?: Partial<GatewayEvents>;
  readonly restart?: Services["restart"];
  /** Starts where others can reach it without a password: only the page that sets one is of use then. */
  readonly setup?: boolean;
  /** How long a request may take to arrive. Default 10 s and 60 s. */
  readonly arrival?: { readonly headersMs: number; readonly bodyMs: number };
}

export interface Gateway {
  /** `http://127.0.0.1:18790`. */
  readonly url: string;
  readonly services: Services;
  readonly auth: AuthStore;
  /** Agent, channels and schedule have begun: `/ready` says so. */
  working(): void;
  /** Says goodbye, gives work in hand its time, ends all connections. Names what hung. */
  close(graceMs: number): Promise<void>;
}

const MAX_HEADER_BYTES = 16_384;
const KEEP_ALIVE_MS = 65_000;
const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;
/** For the last answers to leave. */
const FAREWELL_MS = 1000;

/** Listens when it resolves. @throws RuntimeError `config.invalid`; the system's error, `EADDRINUSE` for example. */
export async function createGateway(options: GatewayOptions): Promise<Gateway> {
  const { app } = options;
  const { config, places } = app.loaded;
  const { host, port, tls } = config.gateway;
  const closing = new AbortController();
  const late = new AbortController();
  const auth = openAuth({
    home: places.home,
    clock: app.clock,
    ids: app.ids,
    configured: config.gateway.token,
    lifetimes: () => lifetimes(app),
  });
  const { setup = false, loadOptions } = options;
  const pathOf = (path: string): string => pathIn(places.home, path, options.environment.userHome);
  await checkStart({ loaded: app.loaded, auth, setup, pathOf, t: loadOptions.t });
  const assets = openAssets(options.pages ?? assetDirectory(import.meta.url));
  let url = "";
  let isReady = false;
  const services: Services = {
    app,
    environment: options.environment,
    loadOptions,
    auth,
    rates: createRates(app.clock),
    metrics: createMetrics(),
    once: onceFor(app),
    events: { codeUsedAgain: () => {}, setUp: () => {}, ...options.events },
    ...(options.restart !== undefined && { restart: options.restart }),
    build: assets.build,
    origin: () => url,
    ready: () => isReady && !closing.signal.aborted && canWrite(places.home) && app.inside.storageFault() === undefined,
    closing: closing.signal,
    late: late.signal,
  };
  startEvents(services);
  const unfollow = followTurns(app, services.metrics);
  let bound = port;
  const dispatch: Dispatch = {
    services,
    table: createTable(ROUTES),
    assets,
    guards: createGuards({ config: () => app.inside.loaded().config.gateway, port: () => bound, tls: tls !== null }),
    port: () => bound,
    tls: tls !== null,
    translator,
  };
  const keys = tls === null ? undefined : { cert: pathOf(tls.cert), key: pathOf(tls.key) };
  let server: Server;
  let unwatch: (() => void) | undefined;
  const release = (): void => {
    unfollow();
    unwatch?.();
    auth[Symbol.dispose]();
  };
  try {
    server = openWith(dispatch, options, keys);
    if (keys !== undefined) unwatch = followKeys(server as TlsServer, keys, app.log); // made with keys: a TLS server
    server.listen(port, host);
    await once(server, "listening");
  } catch (error) {
    closing.abort(new Error("the gateway did not start")); // what waits for a later hour holds the process
    release();
    throw error;
  }
  server.on("error", (error) => app.log.error("gateway.failed", { message: error.message })); // out of descriptors
  bound = (server.address() as AddressInfo).port; // a TCP server, not a pipe
  url = `${tls === null ? "http" : "https"}://${reachable(host)}:${bound}`;
  const note = join(places.home, "gateway.json");
  replaceFile(note, `${JSON.stringify({ url, pid: process.pid, token: auth.localToken })}\n`);
  return {
    url,
    services,
    auth,
    working: () => {
      isReady = true;
    },
    close: async (graceMs) => {
      rmSync(note, { force: true });
      closing.abort(new Error("the gateway is stopping"));
      await closed(server, graceMs, app, late);
      await eventsOf(services).index.save();
      release();
    },
  };
}

/** @throws RuntimeError `config.invalid` when certificate and key are none, or not of each other. */
function openWith(dispatch: Dispatch, options: GatewayOptions, keys: KeyFiles | undefined): Server {
  try {
    return open(dispatch, options, keys);
  } catch (error) {
    if (keys === undefined) throw error;
    const { t } = options.loadOptions;
    const text = t("gateway.badTls", { cert: keys.cert, key: keys.key, reason: messageOf(error) });
    throw new RuntimeError("config.invalid", text, { cause: error });
  }
}

function open(
  dispatch: Dispatch,
  { app, arrival = { headersMs: 10_000, bodyMs: 60_000 } }: GatewayOptions,
  keys: KeyFiles | undefined,
): Server {
  const settings = {
    maxHeaderSize: MAX_HEADER_BYTES,
    headersTimeout: arrival.headersMs,
    // Checked once a second: what is late is gone within the minute.
    requestTimeout: arrival.bodyMs - Math.min(2000, arrival.bodyMs / 10),
    connectionsCheckingInterval: Math.min(1000, arrival.bodyMs / 10),
    keepAliveTimeout: KEEP_ALIVE_MS,
    requireHostHeader: false, // said by us, in our shape
    rejectNonStandardBodyWrites: false,
  };
  const listen = (request: IncomingMessage, response: ServerResponse): void => {
    void handleRequest(request, response, dispatch); // never rejects
  };
  const server =
    keys === undefined
      ? createServer(settings)
      : createTlsServer({ ...settings, handshakeTimeout: arrival.headersMs, ...readKeys(keys) });
  server.maxHeadersCount = 200; // more than we take: the excess is seen and refused, not cut off
  boundConnections(server, app.loaded.config.gateway.limits.connections, keys !== undefined, dispatch.services.closing);
  server.on("request", listen);
  server.on("checkContinue", listen);
  server.on("upgrade", createUpgrade(dispatch, SOCKETS));
  server.on("connect", (_request: IncomingMessage, socket: Socket) => refuse(socket, 400, "CONNECT is not served."));
  server.on("clientError", (error: NodeJS.ErrnoException, socket: Socket) => {
    if (error.code === "HPE_HEADER_OVERFLOW") refuse(socket, 431, "The header section is larger than 16 KiB.");
    else if (error.code === "ERR_HTTP_REQUEST_TIMEOUT") refuse(socket, 408, "The request did not arrive in time.");
    else refuse(socket, 400, "The request is malformed.");
  });
  return server;
}

function refuse(socket: Socket, status: number, text: string): void {
  if (!socket.writable) {
    socket.destroy();
    return;
  }
  const body = `${text}\n`;
  socket.end(
    `HTTP/1.1 ${status} Refused\r\ncontent-type: text/plain; charset=utf-8\r\nx-content-type-options: nosniff\r\nconnection: close\r\ncontent-length: ${body.length}\r\n\r\n${body}`,
  );
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

async function closed(server: Server, graceMs: number, { clock, log }: App, late: AbortController): Promise<void> {
  const done = new AbortController();
  server.close(() => done.abort());
  server.closeIdleConnections();
  try {
    await clock.sleep(graceMs, done.signal);
    log.warn("gateway.hung", { graceMs });
    late.abort(stopping("The gateway stops before this is done."));
    await clock.sleep(FAREWELL_MS, done.signal);
    server.closeAllConnections();
  } catch {
    // all connections have ended
  }
}

/** How long a browser's login lasts: shorter where others can reach the gateway. */
function lifetimes(app: App): { readonly idleMs: number; readonly maxMs: number } {
  const { auth, host } = app.inside.loaded().config.gateway;
  const local = isLoopback(host);
  return {
    idleMs: auth.idleMs ?? (local ? 7 * DAY_MS : 12 * HOUR_MS),
    maxMs: auth.maxMs ?? (local ? 30 * DAY_MS : 7 * DAY_MS),
  };
}

/** An address of this machine that a server bound to `host` answers at. */
function reachable(host: string): string {
  if (host === "0.0.0.0" || host === "localhost") return "127.0.0.1";
  if (host === "::") return "[::1]";
  return isIP(host) === 6 ? `[${host}]` : host;
}
