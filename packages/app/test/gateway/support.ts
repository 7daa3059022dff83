// A real gateway: composed app on a temporary state directory, a scripted model over HTTP, a free port.
import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { replaceFile } from "@margay/core/internal";
import { startMockModel, type MockModel } from "@margay/core/testing";
import type { Clock, JsonObject } from "@margay/core";
import { WebSocket } from "ws";
import type { App } from "../../src/app.ts";
import { checkDocumented } from "./documented.ts";
import { compose } from "../../src/compose/compose.ts";
import { SURFACE } from "../../src/compose/surface.ts";
import { loadConfig, type LoadOptions } from "../../src/config/load.ts";
import { placesOf } from "../../src/config/paths.ts";
import type { GrantedScope } from "../../src/host/auth/credential.ts";
import { digestOf, newToken } from "../../src/host/auth/secrets.ts";
import { authIn } from "../../src/host/auth/state.ts";
import { AUTH_DOC } from "../../src/host/auth/token-readers.ts";
import type { Surface } from "../../src/host/control/surface.ts";
import type { Gateway, GatewayOptions } from "../../src/host/http/server.ts";
import { translator } from "../../src/texts/translate.ts";
import { startGateway as start } from "../../src/features/gateway/start-gateway.ts";

/** Of the mock provider; `npm test` plants another one in each run, and searches for it in whatever the tests leave. */
export const MOCK_KEY: string = process.env["MARGAY_PLANTED_KEY"] ?? "test-key-for-mock";

export interface GatewayPlaceOptions {
  /** Merged over the configuration of the mock model, key by key at the top. `gateway.port` is 0 unless given. */
  readonly config?: JsonObject | ((modelUrl: string) => JsonObject);
  readonly env?: Readonly<Record<string, string>>;
  /** As typed behind `margay gateway`. */
  readonly flags?: JsonObject;
  readonly clock?: Clock;
  /** Runs before the app is composed: files of the state directory or the workspace. */
  readonly prepare?: (place: { readonly home: string; readonly workspace: string }) => unknown;
  readonly events?: GatewayOptions["events"];
  /** There is a supervisor. */
  readonly restart?: GatewayOptions["restart"];
  readonly arrival?: GatewayOptions["arrival"];
  /** Folder of the built pages. */
  readonly pages?: string;
  /** Default: what the program serves. */
  readonly surface?: Surface;
  /** Channels, schedule and agent wait for the first password. */
  readonly setup?: boolean;
}

export interface ApiInit {
  readonly method?: string;
  /** Sent as JSON. */
  readonly body?: unknown;
  /** Sent as it is. */
  readonly raw?: Uint8Array | string;
  readonly headers?: Readonly<Record<string, string>>;
  /** Default: a token with scope `owner`; `null`: none. */
  readonly token?: string | null;
}

export interface ApiAnswer {
  readonly status: number;
  readonly headers: Headers;
  /** Parsed when it is JSON, else the text. */
  // eslint-disable-next-line typescript/no-explicit-any -- tests look into answers of every shape
  readonly body: any;
}

export interface TestGateway {
  readonly url: string;
  readonly port: number;
  readonly home: string;
  readonly workspace: string;
  readonly model: MockModel;
  readonly app: App;
  readonly gateway: Gateway;
  /** The log, one object per line. */
  readonly logs: readonly JsonObject[];
  token(...scopes: GrantedScope[]): string;
  /** `/sessions` is below `/api/v1`; a path that begins with `/!` is taken from the root. */
  api(path: string, init?: ApiInit): Promise<ApiAnswer>;
  /** Resolves when it is open. Closed at the end of the test. */
  ws(path?: string, options?: { readonly token?: string; readonly protocol?: string }): Promise<WebSocket>;
  /** Ends the gateway and the app, as SIGTERM does. */
  stop(): Promise<void>;
  /** Writes config.json over and waits until it holds. */
  configure(config: JsonObject): Promise<void>;
}

/** What runs a test: vitest's context, or anything else that says when it is over. */
export interface Owner {
  onTestFinished(clean: () => Promise<void>): void;
}

export async function startGateway(t: Owner, options: GatewayPlaceOptions = {}): Promise<TestGateway> {
  const model = await startMockModel({ rules: "off" });
  const directory = realpathSync(mkdtempSync(join(tmpdir(), "margay-gateway-")));
  const home = join(directory, "home");
  const workspace = join(directory, "workspace");
  mkdirSync(home, { mode: 0o700 });
  mkdirSync(workspace);
  const given = typeof options.config === "function" ? options.config(model.url) : options.config;
  const config = configOf(model.url, workspace, given);
  writeConfig(home, config);
  await options.prepare?.({ home, workspace });
  const env = { MARGAY_HOME: home, ...options.env };
  const places = placesOf({ flag: undefined, env, userHome: directory, currentDirectory: directory });
  const loadOptions: LoadOptions = {
    places,
    env,
    userHome: directory,
    t: translator("en"),
    ...(options.flags !== undefined && { flags: options.flags }),
  };
  const logs: JsonObject[] = [];
  const app = await compose({
    loaded: loadConfig(loadOptions),
    language: config["language"] === "zh-CN" ? "zh-CN" : "en",
    env,
    writeLog: (line) => logs.push(JSON.parse(line) as JsonObject),
    ...(options.clock !== undefined && { clock: options.clock }),
  });
  const running = await start(app, {
    environment: { env, userHome: directory, currentDirectory: directory },
    loadOptions,
    surface: () => Promise.resolve(options.surface ?? SURFACE),
    ...(options.events !== undefined && { events: options.events }),
    ...(options.restart !== undefined && { restart: options.restart }),
    ...(options.pages !== undefined && { pages: options.pages }),
    ...(options.arrival !== undefined && { arrival: options.arrival }),
    ...(options.setup !== undefined && { setup: options.setup }),
  });
  const { gateway } = running;
  const sockets: WebSocket[] = [];
  let stopped: Promise<void> | undefined;
  const stop = (): Promise<void> =>
    (stopped ??= (async () => {
      for (const socket of sockets) socket.terminate();
      await running.stop();
      await app[Symbol.asyncDispose]();
    })());
  t.onTestFinished(async () => {
    await stop();
    await model.close();
    rmSync(directory, { recursive: true, force: true, maxRetries: 5 });
  });
  // Written beside the gateway, as by another process: a test need not wait for it.
  const token = (...scopes: GrantedScope[]): string => {
    const secret = newToken();
    const state = authIn(places.docs.peek(AUTH_DOC)?.body);
    const entry = {
      id: `token-test${state.tokens.length}`,
      name: "test",
      scopes,
      digest: digestOf(secret),
      createdAt: 0,
    };
    replaceFile(join(home, AUTH_DOC), JSON.stringify({ ...state, tokens: [...state.tokens, entry] }));
    return secret;
  };
  let owner: string | undefined;
  return {
    url: gateway.url,
    port: Number(new URL(gateway.url).port),
    home,
    workspace,
    model,
    app,
    gateway,
    logs,
    token,
    api: async (path, { method = "GET", body, raw, headers = {}, token: given } = {}) => {
      const secret = given === undefined ? (owner ??= token("owner")) : given;
      const response = await fetch(urlOf(gateway.url, path), {
        method,
        headers: {
          ...(secret !== null && { authorization: `Bearer ${secret}` }),
          ...(body !== undefined && { "content-type": "application/json" }),
          ...headers,
        },
        ...(body !== undefined && { body: JSON.stringify(body) }),
        ...(raw !== undefined && { body: raw as string }), // both are bodies
        redirect: "manual",
      });
      const text = await response.text();
      const isJson = text !== "" && /[/+]json/.test(response.headers.get("content-type") ?? "");
      const { pathname } = new URL(urlOf(gateway.url, path));
      const answer = isJson ? (JSON.parse(text) as unknown) : text;
      const type = response.headers.get("content-type") ?? "";
      if (method !== "HEAD") checkDocumented({ method, path: pathname, status: response.status, type, body: answer });
      return { status: response.status, headers: response.headers, body: answer };
    },
    ws: (path = "/ws", { token: given, protocol } = {}) =>
      new Promise((resolve, reject) => {
        const headers = { authorization: `Bearer ${given ?? (owner ??= token("owner"))}` };
        const socket = new WebSocket(`${gateway.url.replace("http", "ws")}${path}`, protocol ?? [], { headers });
        sockets.push(socket);
        socket.once("open", () => resolve(socket));
        socket.once("error", reject);
        socket.once("unexpected-response", (_request, response) => {
          reject(Object.assign(new Error(`handshake ${response.statusCode}`), { status: response.statusCode }));
          response.destroy();
        });
      }),
    stop,
    configure: async (next) => {
      const changed = new Promise<void>((resolve) => {
        const before = app.inside.loaded();
        const look = (): void => {
          if (app.inside.loaded() === before) setTimeout(look, 10);
          else resolve();
        };
        look();
      });
      writeConfig(home, configOf(model.url, workspace, next));
      await changed;
    },
  };
}

function urlOf(base: string, path: string): string {
  return path.startsWith("/!") ? `${base}${path.slice(2)}` : `${base}/api/v1${path}`;
}

function writeConfig(home: string, config: JsonObject): void {
  writeFileSync(join(home, "config.json"), JSON.stringify(config), { mode: 0o600 });
}

function configOf(url: string, workspace: string, { gateway = {}, ...rest }: JsonObject = {}): JsonObject {
  return {
    model: "mock/mock-model",
    providers: { mock: { api: "openai-chat", baseUrl: `${url}/v1`, apiKey: MOCK_KEY } },
    tools: { exec: { sandbox: "none" } },
    workspace,
    heartbeat: { enabled: false },
    ...rest,
    gateway: { port: 0, ...(gateway as JsonObject) },
  };
}
