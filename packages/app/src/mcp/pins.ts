/** `mcp.json` in the state directory: what each server's tools looked like when they were accepted (R218). */
import { messageOf, readIfExists, replaceFile, RuntimeError, sha256, takeTurns, type Json } from "@margay/core";
import type { Definition, ServerConfig } from "./types.ts";

/** Per tool: the hash of its definition, and the text a person compares. */
type Manifest = Readonly<Record<string, { readonly hash: string; readonly description: string }>>;

interface Pin {
  /** Of what the operator configured: another command or address is another server. */
  readonly source: string;
  readonly accepted: Manifest;
  /** What the server offers instead, until an operator accepts it. */
  readonly pending?: Manifest;
}

export interface ToolChange {
  readonly tool: string;
  readonly kind: "added" | "removed" | "changed";
  readonly before?: string;
  readonly after?: string;
}

export interface Pins {
  /** Pins a server that is new; compares one that is known. @returns false when its tools are suspended. */
  check(name: string, config: ServerConfig, definitions: readonly Definition[]): boolean;
  /** What an operator has to look at; empty when nothing waits. */
  pending(name: string): readonly ToolChange[];
  /** Hash of the definitions that wait, else of those that are accepted; undefined for a server that was never seen. */
  manifestHash(name: string): string | undefined;
  /**
   * @param seen the hash of the definitions that somebody looked at.
   * @returns what was accepted; undefined when others wait by now.
   */
  accept(name: string, seen: string | undefined): readonly ToolChange[] | undefined;
  forget(name: string): void;
  /** Whether it did not connect the last time, configured as it is now. */
  isDead(name: string, config: ServerConfig): boolean;
  noteDead(name: string, config: ServerConfig, isDead: boolean): void;
}

/** For how long one process lets another one finish its change. */
const PATIENCE_MS = 10_000;

/** The file is read anew each time: `margay mcp accept` writes it from another process. */
export function openPins(path: string): Pins {
  const change = (name: string, pin: Pin | undefined): void => {
    const { [name]: _old, ...others } = read(path);
    const servers = pin === undefined ? others : { ...others, [name]: pin };
    replaceFile(path, `${JSON.stringify({ version: 1, servers }, null, 2)}\n`);
  };
  const changing = <Result>(work: () => Result): Result => takeTurns(`${path}.turns`, PATIENCE_MS, work);
  const dead = path.replace(/(\.json)?$/, "-dead.json");
  const readDead = (): Readonly<Record<string, string>> =>
    JSON.parse(readIfExists(dead)?.toString("utf8") ?? "{}") as Record<string, string>; // written below
  return {
    isDead: (name, config) => readDead()[name] === sha256(stable(config)),
    noteDead: (name, config, isDead) =>
      changing(() => {
        const { [name]: old, ...others } = readDead();
        const noted = isDead ? sha256(stable(config)) : undefined;
        if (old !== noted)
          replaceFile(dead, `${JSON.stringify(noted === undefined ? others : { ...others, [name]: noted })}\n`);
      }),
    check: (name, config, definitions) =>
      changing(() => {
        const source = sourceOf(config);
        const seen = manifestOf(definitions);
        const pin = read(path)[name];
        if (pin === undefined || pin.source !== source) {
          change(name, { source, accepted: seen });
          return true;
        }
        const same = changesOf(pin.accepted, seen).length === 0;
        if (same && pin.pending !== undefined) change(name, { source, accepted: pin.accepted });
        if (!same && (pin.pending === undefined || changesOf(pin.pending, seen).length > 0))
          change(name, { ...pin, pending: seen });
        return same;
      }),
    pending: (name) => {
      const pin = read(path)[name];
      return pin?.pending === undefined ? [] : changesOf(pin.accepted, pin.pending);
    },
    manifestHash: (name) => {
      const pin = read(path)[name];
      return pin === undefined ? undefined : hashOf(pin.pending ?? pin.accepted);
    },
    accept: (name, seen) =>
      changing(() => {
        const pin = read(path)[name];
        if (pin?.pending === undefined) return [];
        if (hashOf(pin.pending) !== seen) return undefined;
        change(name, { source: pin.source, accepted: pin.pending });
        return changesOf(pin.accepted, pin.pending);
      }),
    forget: (name) =>
      changing(() => {
        if (read(path)[name] !== undefined) change(name, undefined);
      }),
  };
}

function sourceOf({ command, args = [], url }: ServerConfig): string {
  return sha256(JSON.stringify(command === undefined ? [url] : [command, ...args]));
}

/** All tools of one name are one entry: whichever of them is offered, it was accepted with the others. */
function manifestOf(definitions: readonly Definition[]): Manifest {
  return Object.fromEntries(
    [...Map.groupBy(definitions, ({ name }) => name)].map(([name, same]) => {
      const values = same.map(({ description, inputSchema, annotations }) => [
        name,
        description,
        inputSchema,
        annotations,
      ]);
      const hash = sha256(stable(values.length === 1 ? values[0] : values));
      return [name, { hash, description: same.map(({ description }) => description).join("\n") }];
    }),
  );
}

/** The one that an operator compares and accepts. */
export function manifestHash(definitions: readonly Definition[]): string {
  return hashOf(manifestOf(definitions));
}

function hashOf(manifest: Manifest): string {
  return sha256(stable(manifest));
}

/** Equal values, equal text: the order of keys says nothing. */
function stable(value: unknown): string {
  return (
    JSON.stringify(value, (_, item: unknown) =>
      typeof item === "object" && item !== null && !Array.isArray(item)
        ? Object.fromEntries(Object.entries(item).toSorted(([a], [b]) => (a < b ? -1 : 1)))
        : item,
    ) ?? ""
  );
}

function changesOf(before: Manifest, after: Manifest): readonly ToolChange[] {
  const names = [...new Set([...Object.keys(before), ...Object.keys(after)])].toSorted();
  return names.flatMap((tool): readonly ToolChange[] => {
    const [old, now] = [before[tool], after[tool]];
    if (old?.hash === now?.hash) return [];
    if (old === undefined) return [{ tool, kind: "added", after: now?.description ?? "" }];
    if (now === undefined) return [{ tool, kind: "removed", before: old.description }];
    return [{ tool, kind: "changed", before: old.description, after: now.description }];
  });
}

/** @throws RuntimeError `mcp.failed`: a file that cannot be read must not make a changed server look new. */
function read(path: string): Readonly<Record<string, Pin>> {
  const bytes = readIfExists(path);
  if (bytes === undefined) return {};
  try {
    const value = JSON.parse(bytes.toString("utf8")) as Json;
    if (typeof value === "object" && value !== null && "servers" in value && typeof value.servers === "object")
      return value.servers as unknown as Readonly<Record<string, Pin>>; // written by this file only
    throw new Error("it has no list of servers");
  } catch (error) {
    throw new RuntimeError(
      "mcp.failed",
      `${path} cannot be read (${messageOf(error)}). Restore it, or delete it and look at each server's tools again.`,
      { cause: error },
    );
  }
}
