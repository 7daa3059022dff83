/** `mcp.json` in the state directory: what each server says of itself, as a person approved it, and what waits. */
import { RuntimeError, type Json } from "@margay/core";
import {
  messageOf,
  readIfExists,
  replaceFile,
  sha256,
  takeTurns,
  type ServerReview,
  type ServerStanding,
} from "@margay/core/internal";
import { hashOf, isSame, manifestOf, reviewOf, stable, type Manifest } from "./manifest.ts";
import type { Offer, ServerConfig } from "./types.ts";

/** As it stands in the file. */
interface Pin {
  /** Of what the operator configured: another command or address is another server. */
  readonly source: string;
  /** Absent: nobody approved anything yet. */
  readonly accepted?: Manifest["tools"];
  /** Absent in pins of earlier versions. */
  readonly instructions?: string;
  /** What the server says instead, until a person approves it. */
  readonly pending?: Manifest["tools"];
  readonly pendingInstructions?: string;
}

export interface Pins {
  /** Compares what a server says with what was approved, and keeps what was not for a person to look at. */
  check(name: string, config: ServerConfig, offer: Offer): ServerStanding;
  /** The same without keeping anything. */
  standing(name: string, config: ServerConfig, offer: Offer): ServerStanding;
  /** By what is kept of it alone. */
  lastStanding(name: string, config: ServerConfig): ServerStanding;
  /** What a person has to look at; undefined when nothing waits. */
  review(name: string, config: ServerConfig): ServerReview | undefined;
  /** Of what waits, else of what is approved; undefined for a server that was never seen. */
  manifestHash(name: string, config: ServerConfig): string | undefined;
  /**
   * @param seen the hash of what somebody looked at.
   * @returns what was approved; undefined when something else waits by now, or nothing.
   */
  approve(name: string, config: ServerConfig, seen: string): ServerReview | undefined;
  forget(name: string): void;
  /** Whether it did not connect the last time, configured as it is now. */
  isDead(name: string, config: ServerConfig): boolean;
  noteDead(name: string, config: ServerConfig, isDead: boolean): void;
}

/** For how long one process lets another one finish its change. */
const PATIENCE_MS = 10_000;

/** The file is read anew each time: `margay mcp approve` writes it from another process. */
export function openPins(path: string): Pins {
  const change = (name: string, pin: Pin | undefined): void => {
    const { [name]: _old, ...others } = read(path);
    const servers = pin === undefined ? others : { ...others, [name]: pin };
    replaceFile(path, `${JSON.stringify({ version: 1, servers }, null, 2)}\n`);
  };
  const changing = <Result>(work: () => Result): Result => takeTurns(`${path}.turns`, PATIENCE_MS, work);
  /** Of the server that is configured under that name now. */
  const pinOf = (name: string, config: ServerConfig): Pin | undefined => {
    const servers = read(path);
    const pin = Object.hasOwn(servers, name) ? servers[name] : undefined;
    return pin?.source === sourceOf(config) ? pin : undefined;
  };
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
    check: (name, config, offer) =>
      changing(() => {
        const seen = manifestOf(offer);
        const pin = pinOf(name, config);
        const standing = standingOf(pin, seen);
        const approved = approvedIn(pin);
        const waiting = waitingIn(pin);
        if (standing === "approved") {
          if (waiting !== undefined) change(name, written(config, approved));
        } else if (waiting === undefined || hashOf(waiting) !== hashOf(seen))
          change(name, written(config, approved, seen));
        return standing;
      }),
    standing: (name, config, offer) => standingOf(pinOf(name, config), manifestOf(offer)),
    lastStanding: (name, config) => {
      const pin = pinOf(name, config);
      if (pin?.accepted === undefined) return "unapproved";
      return pin.pending === undefined ? "approved" : "changed";
    },
    review: (name, config) => {
      const pin = pinOf(name, config);
      const waiting = waitingIn(pin);
      return waiting === undefined ? undefined : reviewOf(approvedIn(pin), waiting);
    },
    manifestHash: (name, config) => {
      const pin = pinOf(name, config);
      const manifest = waitingIn(pin) ?? approvedIn(pin);
      return manifest === undefined ? undefined : hashOf(manifest);
    },
    approve: (name, config, seen) =>
      changing(() => {
        const pin = pinOf(name, config);
        const waiting = waitingIn(pin);
        if (waiting === undefined || hashOf(waiting) !== seen) return undefined;
        change(name, written(config, waiting));
        return reviewOf(approvedIn(pin), waiting);
      }),
    forget: (name) =>
      changing(() => {
        if (Object.hasOwn(read(path), name)) change(name, undefined);
      }),
  };
}

function sourceOf({ command, args = [], url }: ServerConfig): string {
  return sha256(JSON.stringify(command === undefined ? [url] : [command, ...args]));
}

/** A server is what its command or address is: the first sight of it is nobody's approval. */
function standingOf(pin: Pin | undefined, seen: Manifest): ServerStanding {
  const approved = approvedIn(pin);
  if (approved === undefined) return "unapproved";
  return isSame(approved, seen) ? "approved" : "changed";
}

function approvedIn(pin: Pin | undefined): Manifest | undefined {
  return manifestIn(pin?.accepted, pin?.instructions);
}

function waitingIn(pin: Pin | undefined): Manifest | undefined {
  return manifestIn(pin?.pending, pin?.pendingInstructions);
}

function manifestIn(tools: Manifest["tools"] | undefined, instructions: string | undefined): Manifest | undefined {
  return tools === undefined ? undefined : { tools, ...(instructions !== undefined && { instructions }) };
}

function written(config: ServerConfig, approved: Manifest | undefined, waiting?: Manifest): Pin {
  return {
    source: sourceOf(config),
    ...(approved !== undefined && { accepted: approved.tools }),
    ...(approved?.instructions !== undefined && { instructions: approved.instructions }),
    ...(waiting !== undefined && { pending: waiting.tools }),
    ...(waiting?.instructions !== undefined && { pendingInstructions: waiting.instructions }),
  };
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
