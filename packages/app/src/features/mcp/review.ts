/** What MCP servers say of themselves, and a person's yes or no to it: for chats, commands and the gateway. */
import { RuntimeError } from "@margay/core";
import {
  raceAbort,
  type Millis,
  type ServerReview,
  type ServerReviews,
  type ServerStanding,
} from "@margay/core/internal";
import type { AppAudit } from "../../host/audit-events.ts";
import type { McpServerConfig } from "../../config/config.ts";
import type { Loaded } from "../../config/load.ts";
import type { Places } from "../../config/paths.ts";
import { openPins, type Pins } from "./client/pins.ts";
import type { Mcp } from "./client/servers.ts";

/** A chat does not wait longer for a server that is connected to be looked at. */
const LOOK_MS: Millis = 45_000;

export interface ReviewsOptions {
  /** As they are now. */
  readonly loaded: () => Loaded;
  readonly mcp: () => Mcp | undefined;
  readonly audit: Pick<AppAudit, "record">;
}

/** In the process that holds the lock. Each yes and each no is a record. */
export function serverReviews({ loaded, mcp, audit }: ReviewsOptions): ServerReviews {
  const knows = (name: string): boolean => Object.hasOwn(loaded().config.mcpServers, name);
  const connected = async (name: string): Promise<void> => {
    const server = mcp()?.find(name);
    if (server !== undefined) await raceAbort(server.connect(), AbortSignal.timeout(LOOK_MS)).catch(() => {}); // late: it goes on alone
  };
  return {
    list: () =>
      Object.keys(loaded().config.mcpServers).map((name) => {
        const server = mcp()?.find(name);
        return { name, state: server?.state ?? "off", tools: server?.count ?? 0, standing: standingOf(name, loaded()) };
      }),
    look: async (name) => {
      if (!knows(name)) return "unknown";
      if (standingOf(name, loaded()) === "unapproved" && waitingReview(name, loaded()) === undefined)
        await connected(name);
      const review = waitingReview(name, loaded());
      if (review !== undefined) return review;
      return standingOf(name, loaded()) === "unapproved" ? "silent" : undefined;
    },
    approve: async (name, hash, by) => {
      const approved = knows(name) ? await approveServer(name, loaded(), hash) : undefined;
      if (approved === undefined) return false;
      audit.record("mcp.approved", approvalRecord(name, approved, by));
      await connected(name); // a running process sees it
      return true;
    },
    refuse: async (name, hash, by) => {
      const waiting = knows(name) ? waitingReview(name, loaded()) : undefined;
      if (waiting?.hash !== hash) return false;
      audit.record("mcp.refused", approvalRecord(name, waiting, by));
      return true;
    },
  };
}

/** Connected, and none of their tools is offered. */
export function waitingServers(mcp: Mcp | undefined): readonly { readonly name: string; readonly tools: number }[] {
  return (mcp?.status() ?? []).filter(({ state }) => state === "changed" || state === "unapproved");
}

/** @param by Who said yes, or no. */
export function approvalRecord(
  server: string,
  { hash, tools }: ServerReview,
  by: string,
): { readonly server: string; readonly hash: string; readonly tools: readonly string[]; readonly by: string } {
  return { server, hash, tools: tools.map(({ tool }) => tool), by };
}

/** What waits for a person, as the server said it when it was connected last; undefined: nothing. */
export function waitingReview(name: string, loaded: Loaded): ServerReview | undefined {
  return pinsOf(loaded.places).review(name, configuredServer(name, loaded));
}

/** As it was connected last. */
export function standingOf(name: string, loaded: Loaded): ServerStanding {
  return pinsOf(loaded.places).lastStanding(name, configuredServer(name, loaded));
}

/** Of what waits, else of what is approved. */
export function pinnedHash(name: string, loaded: Loaded): string | undefined {
  return pinsOf(loaded.places).manifestHash(name, configuredServer(name, loaded));
}

/** @param seen the hash of the review that was looked at. @returns undefined when something else waits by now, or nothing. */
export function approveServer(name: string, loaded: Loaded, seen: string): Promise<ServerReview | undefined> {
  return pinsOf(loaded.places).approve(name, configuredServer(name, loaded), seen);
}

/** @throws RuntimeError `usage.wrong`, naming the ones there are. */
export function configuredServer(name: string, { config }: Loaded): McpServerConfig {
  const found = Object.hasOwn(config.mcpServers, name) ? config.mcpServers[name] : undefined;
  if (found !== undefined) return found;
  const names = Object.keys(config.mcpServers).join(", ");
  throw new RuntimeError("usage.wrong", `There is no MCP server ${name}. There are: ${names === "" ? "none" : names}.`);
}

export function pinsOf(places: Places): Pins {
  return openPins(places.docs);
}
