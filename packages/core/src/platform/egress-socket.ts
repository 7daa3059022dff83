// Where a confined program finds its proxy: a Unix socket of the state directory, made at the first use.
import { randomBytes } from "node:crypto";
import fs from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { EgressAttempt, EgressProxy, EgressProxyOptions } from "./egress-proxy.ts";
import { makeDirectory } from "./files.ts";

export interface EgressSocketOptions extends EgressProxyOptions {
  /** Only its owner may enter it. */
  readonly directory: string;
}
export interface EgressSocket extends AsyncDisposable {
  /** @returns the socket's path; undefined when no host is listed and git has no door, and then nothing listens. */
  path(): Promise<string | undefined>;
  /** Whether git finds its door there. */
  readonly git: boolean;
  /** Connections that were let through until now, but for those that bring what is the operator's own. */
  readonly connections: number;
  /** The hosts of those after the first `connections`. */
  hostsAfter(connections: number): readonly string[];
}

/** `sun_path` of the system with the shortest one. */
const MAX_PATH_BYTES = 103;

export function openEgressSocket(options: EgressSocketOptions): EgressSocket {
  let listening:
    | Promise<{ readonly proxy: EgressProxy; readonly path: string; readonly remove: () => void }>
    | undefined;
  let closed = false;
  let connections = 0;
  /** Which connection was the last to a host: as many as are listed. */
  const reached = new Map<string, number>();
  const record = (attempt: EgressAttempt): void => {
    if (attempt.allowed && attempt.trusted !== true) reached.set(attempt.host, (connections += 1));
    options.record(attempt);
  };
  const listen = async (): Promise<NonNullable<Awaited<typeof listening>>> => {
    const { path, remove } = socketPlace(options.directory);
    const { createEgressProxy } = await import("./egress-proxy.ts"); // most agents never need one
    const proxy = createEgressProxy({ ...options, record });
    await new Promise<void>((resolve, reject) => {
      proxy.server.once("error", reject);
      proxy.server.listen(path, resolve);
    });
    fs.chmodSync(path, 0o600); // nobody could enter its directory meanwhile
    proxy.server.unref();
    return { proxy, path, remove };
  };
  return {
    git: options.git !== undefined,
    get connections() {
      return connections;
    },
    hostsAfter: (first) => [...reached].filter(([, last]) => last > first).map(([host]) => host),
    path: async () => {
      if (closed || (options.hosts().length === 0 && options.git === undefined)) return undefined;
      listening ??= listen();
      try {
        return (await listening).path;
      } catch (error) {
        listening = undefined; // the next program tries again
        throw error;
      }
    },
    [Symbol.asyncDispose]: async () => {
      closed = true;
      const made = await listening?.catch(() => undefined);
      if (made === undefined) return;
      await made.proxy[Symbol.asyncDispose]();
      made.remove();
    },
  };
}

/** A state directory may lie too deep for the name of a socket. */
function socketPlace(directory: string): { readonly path: string; readonly remove: () => void } {
  makeDirectory(directory);
  fs.chmodSync(directory, 0o700);
  const name = `${randomBytes(6).toString("hex")}.sock`;
  const path = join(directory, name);
  if (Buffer.byteLength(path) <= MAX_PATH_BYTES) return { path, remove: () => fs.rmSync(path, { force: true }) };
  const short = fs.mkdtempSync(join(tmpdir(), "margay-"));
  return { path: join(short, name), remove: () => fs.rmSync(short, { recursive: true, force: true }) };
}
