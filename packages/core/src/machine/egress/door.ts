// Where one confined program finds its proxy: a Unix socket of its own, so that whose connection it is needs no guess.
import { randomBytes } from "node:crypto";
import fs from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { EgressProxyOptions } from "./proxy.ts";
import { makeDirectory } from "../files/files.ts";

export interface EgressDoorOptions extends EgressProxyOptions {
  /** Only its owner may enter it. */
  readonly directory: string;
}
/** Dispose when the program has ended: connections end with it, and the socket is removed. */
export interface EgressDoor extends AsyncDisposable {
  /** Of the socket. */
  readonly path: string;
  /** The hosts of connections that were let through, in order, and whether each is trusted. */
  readonly reached: ReadonlyMap<string, boolean>;
  /** Why others were not, each text once. */
  readonly refused: readonly string[];
}

/** `sun_path` of the system with the shortest one. */
const MAX_PATH_BYTES = 103;

/** @throws the system's error when nothing can listen there. */
export async function openEgressDoor(options: EgressDoorOptions): Promise<EgressDoor> {
  const reached = new Map<string, boolean>();
  const refused: string[] = [];
  const { path, remove } = socketPlace(options.directory);
  const { createEgressProxy } = await import("./proxy.ts"); // most agents never need one
  const proxy = createEgressProxy({
    ...options,
    record: (attempt) => {
      const { host, allowed, trusted = false, reason } = attempt;
      // Reached under an entry that is trusted and under one that is not: it is not.
      if (allowed) reached.set(host, trusted && (reached.get(host) ?? true));
      else if (reason !== undefined && !refused.includes(reason)) refused.push(reason);
      options.record(attempt);
    },
  });
  try {
    await new Promise<void>((resolve, reject) => {
      proxy.server.once("error", reject);
      proxy.server.listen(path, resolve);
    });
  } catch (error) {
    remove();
    throw error;
  }
  fs.chmodSync(path, 0o600); // nobody could enter its directory meanwhile
  proxy.server.unref();
  return {
    path,
    reached,
    refused,
    [Symbol.asyncDispose]: async () => {
      await proxy[Symbol.asyncDispose]();
      remove();
    },
  };
}

/** Doors of a process that died: nobody listens at them any more. Those of processes that work beside this one stay. */
export async function removeDeadDoors(directory: string): Promise<void> {
  const names = fs.existsSync(directory) ? fs.readdirSync(directory) : [];
  const { connect } = process.getBuiltinModule("node:net");
  for (const name of names.filter((each) => each.endsWith(".sock"))) {
    const path = join(directory, name);
    const isDead = await new Promise<boolean>((resolve) => {
      const socket = connect(path, () => resolve(false));
      socket.once("error", (error: NodeJS.ErrnoException) => resolve(error.code === "ECONNREFUSED"));
      socket.once("close", () => resolve(false));
      socket.once("connect", () => socket.destroy());
    });
    if (isDead) fs.rmSync(path, { force: true });
  }
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
