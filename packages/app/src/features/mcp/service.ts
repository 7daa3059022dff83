/** MCP servers of the configuration: for the agent, and for `margay mcp`. */
import { RuntimeError, type Clock, type Logger } from "@margay/core";
import {
  createRedactor,
  makeDirectory,
  messageOf,
  silentLog,
  systemClock,
  type BlobStore,
  type ServerReview,
  type ServerStanding,
} from "@margay/core/internal";
import type { Sandbox } from "@margay/core/internal";
import type { AppAudit } from "../../host/audit-events.ts";
import type { Loaded } from "../../config/load.ts";
import type { Places } from "../../config/paths.ts";
import type { Confinement } from "./client/confine.ts";
import { openSignInStore, signInProvider, type SignInStore } from "./client/oauth.ts";
import { hashOf, manifestOf } from "./client/manifest.ts";
import { createMcp, serverEnv, signsIn, type Mcp } from "./client/servers.ts";
import { withoutSecrets } from "./client/without-secrets.ts";
import { namedFolders } from "./client/writable.ts";
import type { CatalogTool } from "./client/tools.ts";
import type { Link, Offer } from "./client/types.ts";
import { configuredServer, pinsOf } from "./review.ts";
import { serverSandboxOf } from "../../host/sandbox.ts";
import { secretsOf } from "../../models/secrets.ts";

type Env = Readonly<Record<string, string | undefined>>;

export interface McpServicesOptions {
  readonly loaded: Loaded;
  readonly env: Env;
  readonly blobs: BlobStore;
  readonly clock: Clock;
  readonly log: Logger;
  /** Told of every token, so that it shows up in no log and no result. */
  readonly secret: (value: string) => void;
  /** Takes known secrets out. */
  readonly redact: (text: string) => string;
  /** Of servers. */
  readonly sandbox: Sandbox;
  readonly audit: Pick<AppAudit, "record">;
  /** Told when something changed with a server. */
  readonly changed?: (name: string) => void;
}

export function mcpServers(options: McpServicesOptions): Mcp {
  const { loaded, env, blobs, clock, log, secret, redact, changed, audit, sandbox } = options;
  const { config, places } = loaded;
  return createMcp({
    servers: config.mcpServers,
    connectTimeoutMs: config.mcp.connectTimeoutSeconds * 1000,
    callTimeoutMs: config.mcp.callTimeoutSeconds * 1000,
    env,
    allowHosts: config.tools.webFetch.allowHosts,
    confinement: {
      ...confinementOf(loaded, env, sandbox),
      record: (server, attempt) => audit.record("egress", { by: `mcp.${server}`, ...attempt }),
    },
    pins: pinsOf(places),
    blobs,
    clock,
    log,
    redact,
    ...(changed !== undefined && { changed }),
    signIn: (server) => ({ provider: signInProvider({ server, store: storeOf(places, server, secret) }) }),
  });
}

export interface ProbedTool {
  readonly name: string;
  readonly effect: string;
  readonly description: string;
}
export interface ProbeResult {
  /** What the agent would be offered. */
  readonly tools: readonly ProbedTool[];
  /** The same with those that are not enabled. */
  readonly catalog: readonly CatalogTool[];
  /** What is left out, and why. */
  readonly warnings: readonly string[];
  /** Of all that it says, as a yes is bound to it. */
  readonly manifestHash: string;
  /** Whether that is what a person approved. */
  readonly standing: ServerStanding;
}

/** Connects once and lists the tools. Approves nothing, and keeps nothing. */
export function probeServer(name: string, loaded: Loaded, env: Env, signal: AbortSignal): Promise<ProbeResult> {
  return atServer(name, loaded, env, signal, (link) => describe(name, loaded, env, link, signal));
}

/** Connects once and keeps what the server says for a person to look at. @returns undefined when it is approved already. */
export function lookAtServer(
  name: string,
  loaded: Loaded,
  env: Env,
  signal: AbortSignal,
): Promise<ServerReview | undefined> {
  return atServer(name, loaded, env, signal, async (link) => {
    const pins = pinsOf(loaded.places);
    await pins.check(name, configuredServer(name, loaded), await offerOf(link, redaction(loaded, env), signal));
    return pins.review(name, configuredServer(name, loaded));
  });
}

async function atServer<T>(
  name: string,
  loaded: Loaded,
  env: Env,
  signal: AbortSignal,
  work: (link: Link) => Promise<T>,
): Promise<T> {
  const config = configuredServer(name, loaded);
  const { connectClient } = await import("./client/client.ts");
  const link = await connectClient(
    {
      name,
      config,
      confinement: confinementOf(loaded, env),
      env: serverEnv(env),
      allowHosts: loaded.config.tools.webFetch.allowHosts,
      clock: systemClock(),
      log: silentLog,
      ...(signsIn(config) && {
        signIn: { provider: signInProvider({ server: name, store: storeOf(loaded.places, name) }) },
      }),
    },
    signal,
  ).catch((error: unknown) => {
    signal.throwIfAborted();
    if (error instanceof RuntimeError) throw error;
    throw new RuntimeError("mcp.failed", `${name} cannot be reached (${messageOf(error)}). Check its command or url.`, {
      cause: error,
    });
  });
  try {
    return await work(link);
  } finally {
    await link.close();
  }
}

/** The user id that its program gets where it is not that of margay: whom a folder that it is to write to must belong to. */
export async function serverAccount(name: string, loaded: Loaded, env: Env): Promise<number | undefined> {
  const { accountOf } = await import("./client/confine.ts");
  return await accountOf(name, configuredServer(name, loaded), serverEnv(env), confinementOf(loaded, env));
}

/** What the running agent takes out of a server's words as well: else their hashes differ. */
function redaction(loaded: Loaded, env: Env): (text: string) => string {
  return createRedactor(secretsOf(loaded, env)).redactKnown;
}

async function offerOf(link: Link, redact: (text: string) => string, signal: AbortSignal): Promise<Offer> {
  const definitions = link.offers.tools ? await link.tools(signal) : [];
  return withoutSecrets({ definitions, instructions: link.instructions }, redact);
}

function confinementOf(loaded: Loaded, env: Env, sandbox?: Sandbox): Confinement {
  const { config, places, workspace } = loaded;
  makeDirectory(workspace);
  return {
    sandbox: sandbox ?? serverSandboxOf(loaded, env),
    state: places.home,
    workspace,
    clock: systemClock(),
    allowHosts: config.tools.webFetch.allowHosts,
  };
}

async function describe(name: string, loaded: Loaded, env: Env, link: Link, signal: AbortSignal): Promise<ProbeResult> {
  const { catalogOf, enabledOf } = await import("./client/tools.ts");
  const config = configuredServer(name, loaded);
  const warnings: string[] = [];
  const offer = await offerOf(link, redaction(loaded, env), signal);
  const catalog = catalogOf({
    server: name,
    config,
    definitions: offer.definitions,
    offers: link.offers,
    timeoutMs: 0,
    use: () => Promise.resolve(""), // only listed
    warn: (fact) => warnings.push(fact),
  });
  return {
    tools: enabledOf(catalog).map(({ name: tool, effect, description }) => ({ name: tool, effect, description })),
    catalog,
    warnings,
    manifestHash: hashOf(manifestOf(offer)),
    standing: pinsOf(loaded.places).standing(name, config, offer),
  };
}

/**
 * Signs in with a person whose browser comes back to an address of ours, and keeps the tokens.
 * @param code Resolves with the parameters of the callback that bears `state`.
 */
export async function signInAt(
  name: string,
  loaded: Loaded,
  at: {
    readonly redirectUrl: string;
    readonly state: string;
    readonly show: (url: URL) => void;
    readonly code: () => Promise<URLSearchParams>;
  },
  signal: AbortSignal,
): Promise<void> {
  const { connectClient } = await import("./client/client.ts");
  const store = storeOf(loaded.places, name);
  await store.forget("tokens", "verifier", "discovery");
  const { code, ...person } = at;
  const link = await connectClient(
    {
      name,
      config: configuredServer(name, loaded),
      env: {},
      allowHosts: loaded.config.tools.webFetch.allowHosts,
      clock: systemClock(),
      log: silentLog,
      signIn: { provider: signInProvider({ server: name, store, person }), code },
    },
    signal,
  );
  await link.close();
}

export interface SignInRequest {
  readonly env: Env;
  readonly show: (url: URL) => void;
  /** A client that was registered by hand. */
  readonly clientId?: string;
  readonly clientSecret?: string;
}

/** Signs in with a person and keeps the tokens. @returns what the server offers then. */
export async function loginServer(
  name: string,
  loaded: Loaded,
  { show, env, clientId, clientSecret }: SignInRequest,
  signal: AbortSignal,
): Promise<ProbeResult> {
  const config = configuredServer(name, loaded);
  if (config.url === undefined)
    throw new RuntimeError(
      "usage.wrong",
      `${name} is a program on this machine. Only servers with a url have a sign-in.`,
    );
  const { withLogin } = await import("./client/login.ts");
  const store = storeOf(loaded.places, name);
  await store.forget("tokens", "verifier", "discovery");
  if (clientId !== undefined)
    await store.change({
      client: { client_id: clientId, ...(clientSecret !== undefined && { client_secret: clientSecret }) },
    });
  return withLogin(
    {
      server: name,
      config,
      store,
      show,
      allowHosts: loaded.config.tools.webFetch.allowHosts,
      clock: systemClock(),
      log: silentLog,
    },
    (link) => describe(name, loaded, env, link, signal),
    signal,
  );
}

/** Folders that a program is started with and may not change. */
export function readOnlyFolders(name: string, loaded: Loaded): readonly string[] {
  const { command, sandbox, writable, ...config } = configuredServer(name, loaded);
  if (command === undefined || sandbox === false) return [];
  return namedFolders(config).filter(
    (folder) => !writable.some((root) => folder === root || folder.startsWith(`${root}/`)),
  );
}

/** Everything kept about a server beside its configuration. */
export async function forgetServer(name: string, places: Places): Promise<void> {
  await pinsOf(places).forget(name);
  await storeOf(places, name).remove();
}

function storeOf(places: Places, name: string, secret?: (value: string) => void): SignInStore {
  return openSignInStore(places.docs, `secrets/mcp-signin-${name.replaceAll(/[^A-Za-z0-9_-]/g, "_")}.json`, secret);
}
