/** What each server says of itself, as a person approved it, and what waits. */
import { RuntimeError, type Json } from "@margay/core";
import { changeDoc, messageOf, sha256, type Docs, type ServerReview, type ServerStanding } from "@margay/core/internal";
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
  check(name: string, config: ServerConfig, offer: Offer): Promise<ServerStanding>;
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
  approve(name: string, config: ServerConfig, seen: string): Promise<ServerReview | undefined>;
  forget(name: string): Promise<void>;
  /** Whether it did not connect the last time, configured as it is now. */
  isDead(name: string, config: ServerConfig): boolean;
  noteDead(name: string, config: ServerConfig, isDead: boolean): Promise<void>;
}

const NAME = "mcp.json";
const DEAD = "mcp-dead.json";

type All = Readonly<Record<string, Pin>>;

/** Read anew each time: `margay mcp approve` writes it from another process. */
export function openPins(docs: Docs): Pins {
  const changing = <Result>(
    name: string,
    work: (pins: All) => readonly [Pin | "same" | "gone", Result],
  ): Promise<Result> =>
    changeDoc(docs, NAME, (body) => {
      const all = pinsIn(body);
      const [pin, result] = work(all);
      if (pin === "same") return [body, result];
      const { [name]: _old, ...others } = all;
      const servers = pin === "gone" ? others : { ...others, [name]: pin };
      return [`${JSON.stringify({ version: 1, servers }, null, 2)}\n`, result];
    });
  const now = (name: string, config: ServerConfig): Pin | undefined =>
    pinOf(pinsIn(docs.peek(NAME)?.body), name, config);
  return {
    isDead: (name, config) => deadIn(docs.peek(DEAD)?.body)[name] === sha256(stable(config)),
    noteDead: (name, config, isDead) =>
      changeDoc(docs, DEAD, (body) => {
        const { [name]: old, ...others } = deadIn(body);
        const noted = isDead ? sha256(stable(config)) : undefined;
        if (old === noted) return [body, undefined];
        return [`${JSON.stringify(noted === undefined ? others : { ...others, [name]: noted })}\n`, undefined];
      }),
    check: (name, config, offer) =>
      changing(name, (pins) => {
        const seen = manifestOf(offer);
        const pin = pinOf(pins, name, config);
        const standing = standingOf(pin, seen);
        const approved = approvedIn(pin);
        const waiting = waitingIn(pin);
        if (standing === "approved") return [waiting === undefined ? "same" : written(config, approved), standing];
        const isKnown = waiting !== undefined && hashOf(waiting) === hashOf(seen);
        return [isKnown ? "same" : written(config, approved, seen), standing];
      }),
    standing: (name, config, offer) => standingOf(now(name, config), manifestOf(offer)),
    lastStanding: (name, config) => {
      const pin = now(name, config);
      if (pin?.accepted === undefined) return "unapproved";
      return pin.pending === undefined ? "approved" : "changed";
    },
    review: (name, config) => {
      const pin = now(name, config);
      const waiting = waitingIn(pin);
      return waiting === undefined ? undefined : reviewOf(approvedIn(pin), waiting);
    },
    manifestHash: (name, config) => {
      const pin = now(name, config);
      const manifest = waitingIn(pin) ?? approvedIn(pin);
      return manifest === undefined ? undefined : hashOf(manifest);
    },
    approve: (name, config, seen) =>
      changing<ServerReview | undefined>(name, (pins) => {
        const pin = pinOf(pins, name, config);
        const waiting = waitingIn(pin);
        if (waiting === undefined || hashOf(waiting) !== seen) return ["same", undefined];
        return [written(config, waiting), reviewOf(approvedIn(pin), waiting)];
      }),
    forget: (name) => changing(name, (pins) => [Object.hasOwn(pins, name) ? "gone" : "same", undefined]),
  };
}

/** Of the server that is configured under that name now. */
function pinOf(pins: All, name: string, config: ServerConfig): Pin | undefined {
  const pin = Object.hasOwn(pins, name) ? pins[name] : undefined;
  return pin?.source === sourceOf(config) ? pin : undefined;
}

function deadIn(body = "{}"): Readonly<Record<string, string>> {
  return JSON.parse(body) as Record<string, string>; // written above
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

/** @throws RuntimeError `mcp.failed`: what cannot be read must not make a changed server look new. */
function pinsIn(body: string | undefined): All {
  if (body === undefined) return {};
  try {
    const value = JSON.parse(body) as Json;
    if (typeof value === "object" && value !== null && "servers" in value && typeof value.servers === "object")
      return value.servers as unknown as All; // written by this file only
    throw new Error("it has no list of servers");
  } catch (error) {
    throw new RuntimeError(
      "mcp.failed",
      `${NAME} of the state directory cannot be read (${messageOf(error)}). Restore it, or delete it and look at each server's tools again.`,
      { cause: error },
    );
  }
}
