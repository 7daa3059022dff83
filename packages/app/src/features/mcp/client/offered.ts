/** What a server says its tools are, and which of them are offered: a person approves them first. */
import type { Logger, Tool } from "@margay/core";
import { messageOf, type BlobStore, type Millis, type ServerStanding } from "@margay/core/internal";
import type { createCall } from "./call.ts";
import type { ConnectOptions, SignIn } from "./client.ts";
import type { Confinement } from "./confine.ts";
import { unwritableText } from "./no-result.ts";
import type { Pins } from "./pins.ts";
import { catalogOf, enabledOf, type CatalogTool } from "./tools.ts";
import type { Failure, Link, Offer, ServerConfig, ServerState } from "./types.ts";
import { withoutSecrets } from "./without-secrets.ts";
import { unwritable } from "./writable.ts";

export interface ServerOptions extends Pick<ConnectOptions, "env" | "allowHosts" | "clock"> {
  readonly confinement: Confinement;
  readonly name: string;
  readonly config: ServerConfig;
  readonly pins: Pins;
  readonly blobs: BlobStore;
  readonly log: Logger;
  readonly callTimeoutMs: Millis;
  /** Takes our secrets out of what it says its tools are: that goes into prompts. */
  readonly redact: (text: string) => string;
  /** Told when something was noted about it: what changes its state is. */
  readonly changed?: () => void;
  /** For HTTP servers. */
  readonly signIn?: () => SignIn;
}

/** The library is loaded when the first server is connected. */
interface Library {
  readonly connectClient: (options: ConnectOptions, signal: AbortSignal) => Promise<Link>;
  readonly classify: (error: unknown) => Failure;
}

/** A server at work. */
export interface Running {
  readonly options: ServerOptions;
  readonly log: Logger;
  readonly closing: AbortController;
  /** How its tools reach it. */
  readonly use: ReturnType<typeof createCall>;
  link: Link | undefined;
  connecting: Promise<void> | undefined;
  library: Library | undefined;
  offer: Offer;
  catalog: readonly CatalogTool[];
  tools: readonly Tool[];
  count: number;
  state: ServerState;
  error: string | undefined;
  failures: number;
  retryAt: Millis;
}

/** Why it is connected and not up. */
const WAITS: Readonly<Record<ServerStanding, string | undefined>> = {
  approved: undefined,
  changed: "its tools are not the ones that were approved",
  unapproved: "nobody has approved its tools yet",
};

/** By what a person approved of what it says. */
async function stand(running: Running): Promise<void> {
  const { name, config, pins } = running.options;
  const { offer, link } = running;
  const standing = await pins.check(name, config, offer);
  // It said something else while that was written, or is gone.
  if (running.offer !== offer || running.link !== link) return;
  const enabled = enabledOf(running.catalog);
  running.count = enabled.length;
  // Not even kept: what is not here reaches no request.
  running.tools = standing === "approved" ? enabled : [];
  running.error = WAITS[standing];
  if (standing === "approved") running.state = "up";
  else if (running.state !== standing) {
    running.state = standing;
    running.log.warn(`mcp.${standing}`, { next: `margay mcp approve ${name}` });
  }
}

export async function accept(running: Running, opened: Link, found: Offer): Promise<void> {
  const { name, config, callTimeoutMs, confinement } = running.options;
  running.offer = found;
  running.catalog = catalogOf({
    server: name,
    config,
    definitions: found.definitions,
    offers: opened.offers,
    timeoutMs: callTimeoutMs,
    use: running.use,
    unable: (tool, input) => {
      const path = unwritable(config, tool, input, confinement.workspace);
      return path === undefined ? undefined : unwritableText(name, path);
    },
    warn: (fact) => running.log.warn("mcp.tool", { fact }),
  });
  await stand(running);
}

/** A person may have approved it in the meantime. While that cannot be read, nothing changes. */
export async function standAgain(running: Running): Promise<void> {
  const { log } = running;
  try {
    await stand(running);
    if (running.state === "up") log.info("mcp.approved", { tools: running.tools.length });
  } catch (failure) {
    log.warn("mcp.accept", { message: messageOf(failure) });
  }
}

export async function offerOf({ options }: Running, link: Link, signal: AbortSignal): Promise<Offer> {
  const { offers, instructions, tools } = link;
  return withoutSecrets({ definitions: offers.tools ? await tools(signal) : [], instructions }, options.redact);
}

export async function refresh(running: Running): Promise<void> {
  const { link, closing, log } = running;
  if (link === undefined) return;
  try {
    const found = await offerOf(running, link, closing.signal);
    if (running.link === link) await accept(running, link, found);
  } catch (failure) {
    log.warn("mcp.list", { message: messageOf(failure) });
  }
}
