/** A server's program in the sandbox: its own package, a folder of its own, and the hosts the operator listed. */
import fs from "node:fs";
import { join } from "node:path";
import { RuntimeError, type Clock, type JsonObject } from "@margay/core";
import { isInside, makeDirectory } from "@margay/core/internal";
import {
  openEgressDoor,
  type EgressAttempt,
  type LeftWatch,
  type Sandbox,
  type SandboxHold,
} from "@margay/core/internal";
import { findProgram, shownPlaces } from "../../../host/shown-places.ts";
import type { ServerConfig } from "./types.ts";

/** What confining a server takes. */
export interface Confinement {
  readonly sandbox: Pick<Sandbox, "wrap" | "hold" | "keepAside" | "account">;
  /** Never shown; holds the servers' own folders. */
  readonly state: string;
  /** Writable for servers whose `writable` names it, with what is protected in it. */
  readonly workspace: string;
  readonly clock: Clock;
  /** Exceptions to the check of addresses. */
  readonly allowHosts: readonly string[];
  /** Told of each connection. */
  readonly record?: (server: string, attempt: EgressAttempt) => void;
}

/** What to start instead of the command. */
export interface ConfinedServer extends AsyncDisposable {
  readonly argv: readonly [string, ...string[]];
  readonly environment: Readonly<Record<string, string>>;
  /** Call with the pid when it runs. `exceeded` resolves with a sentence when it took too much. */
  hold(pid: number): Promise<Pick<SandboxHold, "exceeded">>;
  /** While it works on a call: what it leaves in the workspace that runs by itself is kept aside. Undefined: it can't write there. */
  keepAside(): Promise<LeftWatch> | undefined;
}

/**
 * Dispose when the program has ended, or was never started.
 * @throws RuntimeError `mcp.failed` when it cannot be confined: then it is not started.
 */
export async function confineServer(
  name: string,
  config: ServerConfig,
  environment: Readonly<Record<string, string>>,
  options: Confinement,
): Promise<ConfinedServer> {
  await using stack = new AsyncDisposableStack();
  const { sandbox, state, workspace } = options;
  const { command = "", args = [], network = [], writable = [] } = config;
  const own = join(state, "mcp", name);
  makeDirectory(own);
  const door =
    network.length === 0
      ? undefined
      : stack.use(
          await openEgressDoor({
            directory: join(state, "egress"),
            clock: options.clock,
            allowHosts: options.allowHosts,
            hosts: () => network,
            record: (attempt) => options.record?.(name, attempt),
          }),
        );
  const inWorkspace = writable.includes(workspace);
  const home = environment["HOME"];
  const searchPath = environment["PATH"] ?? "";
  // Inside, a shell would say so on a channel that nobody reads.
  if (findProgram(command, searchPath) === undefined)
    throw new RuntimeError("mcp.failed", `${command} could not be started (ENOENT). Check the command.`);
  const request = {
    workspace: fs.realpathSync(inWorkspace ? workspace : own),
    accountOf: accountFolder(name, config, environment, options),
    argv: [command, ...args] as const,
    // Package runners keep what they fetched where the next start finds it.
    environment: inWorkspace ? environment : { ...caches(own), ...environment },
    readable: shownPlaces({ command, args, searchPath }, state, home),
    writable: writable.filter((path) => path !== workspace).map((path) => existing(name, path)),
    ...(door !== undefined && { network: { socket: door.path } }),
  };
  const confined = await sandbox.wrap({ ...request, directory: request.workspace });
  if (typeof confined === "string")
    throw new RuntimeError("mcp.failed", `${name} is a program, and programs run in a sandbox: ${confined}.`);
  const lease: JsonObject = confined.lease;
  let held: SandboxHold | undefined;
  stack.defer(async () => (held ?? (await sandbox.hold(lease, 0)))[Symbol.dispose]());
  const resources = stack.move();
  return {
    argv: confined.argv,
    environment: confined.environment,
    hold: async (pid) => (held ??= await sandbox.hold(lease, pid)),
    keepAside: () =>
      inWorkspace || writable.some((path) => isInside(workspace, path))
        ? sandbox.keepAside({ ...lease, ...(!inWorkspace && PART), workspace: realOf(workspace) }, options.clock.now())
        : undefined,
    [Symbol.asyncDispose]: () => resources.disposeAsync(),
  };
}

/** The user id that its program gets where it is not that of margay. */
export async function accountOf(
  name: string,
  config: ServerConfig,
  environment: Readonly<Record<string, string>>,
  options: Confinement,
): Promise<number | undefined> {
  if (config.command === undefined || config.sandbox === false) return undefined;
  return await options.sandbox.account(accountFolder(name, config, { ...environment, ...config.env }, options));
}

/** Whose account it gets: one of its own, but what lies in the workspace is open to the account of the workspace alone. */
function accountFolder(
  name: string,
  { command = "", args = [], writable = [] }: ServerConfig,
  environment: Readonly<Record<string, string>>,
  { state, workspace }: Confinement,
): string {
  const shown = shownPlaces({ command, args, searchPath: environment["PATH"] ?? "" }, state, environment["HOME"]);
  const own = join(state, "mcp", name);
  makeDirectory(own);
  const seesWorkspace = [...shown, ...writable].some((path) => isInside(workspace, path) || isInside(path, workspace));
  return fs.realpathSync(seesWorkspace ? workspace : own);
}

/** Of a server that has a part of the workspace nothing of it was looked at before. */
const PART = { known: [], guarded: [], configs: {} };

function realOf(path: string): string {
  return fs.existsSync(path) ? fs.realpathSync(path) : path;
}

function caches(own: string): Readonly<Record<string, string>> {
  return { npm_config_cache: join(own, "npm"), XDG_CACHE_HOME: join(own, "cache"), XDG_DATA_HOME: join(own, "data") };
}

function existing(server: string, path: string): string {
  try {
    return fs.realpathSync(path);
  } catch (error) {
    throw new RuntimeError("mcp.failed", `${path} of mcpServers.${server}.writable does not exist. Create it.`, {
      cause: error,
    });
  }
}
