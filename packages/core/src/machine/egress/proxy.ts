// The only way out of the sandbox: a proxy on a Unix socket that knows a list of hosts, and no other.
import type { IncomingMessage, Server, ServerResponse } from "node:http";
import type { Socket } from "node:net";
import type { Duplex } from "node:stream";
import type { Clock, JsonObject } from "../../contract/base.ts";
import { messageOf } from "../../lib/errors/errors.ts";
import { type AddressCheck, checkedAddresses, codeOf } from "../http/checked-addresses.ts";
import { dialAny } from "./dial.ts";
import { egressName, type EgressEntry, entryFor, isTrusted, notPublic } from "./hosts.ts";
import { forward, sayNo } from "./forward.ts";
import { createGitDoor, type GitDoor, type GitDoorOptions, type GitFacts } from "./git-door.ts";
import { GIT_DOOR } from "./git-target.ts";

export interface EgressProxyOptions extends AddressCheck {
  /** Which hosts, see `isEgressEntry`. Asked at each connection; empty: none. */
  readonly hosts: () => readonly EgressEntry[];
  /**
   * Asked about a host that is on no list, and the connection is held meanwhile. Nothing of it was resolved yet: a name that is
   * looked up has told somebody. @returns why it is refused; undefined when it may pass, if its addresses are public.
   */
  readonly ask?: (host: string, port: number) => Promise<string | undefined>;
  /** Told of each attempt, let through or not. */
  readonly record: (attempt: EgressAttempt) => void;
  /** Told of each that was let through when it is over. */
  readonly closed?: (traffic: EgressTraffic) => void;
  /** Opens the connection to an address that was checked. Default: TCP. */
  readonly connect?: (address: string, port: number) => Socket;
  /** Git over https beside the list. Absent: there is no such door. */
  readonly git?: GitDoorOptions;
}
/** One connection as it is recorded. */
export interface EgressAttempt extends JsonObject, Partial<GitFacts> {
  /** As it was asked for, cut. */
  readonly host: string;
  readonly port: number;
  readonly allowed: boolean;
  /** Where it went, or why it did not go. */
  readonly address?: string;
  readonly reason?: string;
}
/** What went over one connection. */
export interface EgressTraffic extends JsonObject {
  readonly host: string;
  readonly port: number;
  /** Bytes to the host and from it. */
  readonly sent: number;
  readonly received: number;
}
export interface EgressProxy extends AsyncDisposable {
  readonly server: Server;
}

export const EGRESS_LIMITS = {
  connections: 64,
  /** Of attempts, each of which is a line of the audit log. */
  perMinute: 600,
  headerBytes: 16_384,
  idleMs: 300_000,
  connectMs: 10_000,
} as const;

/** Where to, or why not. */
type Way = { readonly socket: Socket; readonly name: string } | Refused;
interface Refused {
  readonly status: number;
  readonly reason: string;
}
const TOO_MANY: Refused = { status: 429, reason: "too many connections in a minute" };

/** What all connections of one proxy share. */
interface ProxyState {
  readonly options: EgressProxyOptions;
  /** Ends of connections. */
  readonly open: Set<Duplex>;
  /** Aborts when the proxy closes. */
  readonly ended: AbortSignal;
  readonly rate: () => boolean;
}

/** A server that listens nowhere yet. */
export function createEgressProxy(options: EgressProxyOptions): EgressProxy {
  const { createServer } = process.getBuiltinModule("node:http");
  const ended = new AbortController();
  const proxy: ProxyState = { options, open: new Set(), ended: ended.signal, rate: createRate(options.clock) };
  const find: FindWay = (host, port, isGone) => findWay(proxy, host, port, isGone);
  const keep = (stream: Duplex): void => keepOpen(proxy, stream);
  const git = gitDoorOf(proxy);
  const server = createServer(
    {
      maxHeaderSize: EGRESS_LIMITS.headerBytes,
      requireHostHeader: false, // it is not looked at
      insecureHTTPParser: false,
      keepAliveTimeout: 5_000,
      headersTimeout: 10_000,
      requestTimeout: 0, // a large push takes its time; whoever sends nothing is idle
    },
    (request, response) => void plain(request, response, { find, keep, git }),
  );
  server.maxConnections = EGRESS_LIMITS.connections;
  server.setTimeout(EGRESS_LIMITS.idleMs);
  server.on("connection", keep);
  server.on("connect", (request: IncomingMessage, near: Duplex, head: Buffer) => {
    void tunnel(request, near as Socket, head, find, keep); // a socket: nothing else is listened on
  });
  server.on("clientError", (_, socket) => socket.destroy());
  return {
    server,
    [Symbol.asyncDispose]: async () => {
      ended.abort(new Error("margay is closing"));
      const closed = new Promise<void>((resolve) => server.close(() => resolve()));
      for (const stream of proxy.open) stream.destroy();
      await closed;
    },
  };
}

function keepOpen({ open }: ProxyState, stream: Duplex): void {
  open.add(stream);
  stream.once("close", () => open.delete(stream));
  stream.on("error", () => stream.destroy()); // the other end follows
}

/** No name of a host, so no entry of the list can be meant by it. */
function gitDoorOf(proxy: ProxyState): GitDoor | undefined {
  const { options, rate } = proxy;
  if (options.git === undefined) return undefined;
  const door = createGitDoor(options.git, {
    reach: async (host, port, facts) => {
      const found = await reach(proxy, host, port, facts);
      if ("socket" in found) keepOpen(proxy, found.socket);
      return found;
    },
    refused: (host, port, facts, reason) => void refuse(options, host, port, 403, reason, facts),
  });
  return async (request, response) =>
    rate() ? await door(request, response) : sayNo(response, TOO_MANY.status, TOO_MANY.reason);
}

async function findWay(proxy: ProxyState, host: string, port: number, isGone: () => boolean): Promise<Way> {
  const { options, rate } = proxy;
  if (!rate()) return TOO_MANY;
  const name = egressName(host);
  if (name === undefined) return refuse(options, host, port, 403, "only host names are reached");
  const entry = entryFor(name, port, options.hosts());
  if (entry === undefined) {
    const refused = await unlisted(name, port, options);
    if (refused !== undefined) return refuse(options, name, port, 403, refused);
    if (isGone()) return refuse(options, name, port, 499, "nobody waits any more");
  }
  return await reach(proxy, name, port, isTrusted(entry) ? { trusted: true } : undefined);
}

/** A host that somebody said yes to. */
async function reach(
  { options, ended }: ProxyState,
  name: string,
  port: number,
  facts?: Partial<GitFacts>,
): Promise<Way> {
  try {
    // With its final dot, so that the resolver tries no search domains.
    const checked = await checkedAddresses(new URL(`http://${name}.:${port}/`), options, ended);
    if ("refusal" in checked) return refuse(options, name, port, 403, checked.refusal.fact, facts);
    const { socket, address } = await dialAny(
      checked.addresses,
      port,
      { ...options, connectMs: EGRESS_LIMITS.connectMs },
      ended,
    );
    options.record({ host: name, port, allowed: true, address, ...facts });
    socket.once("close", () =>
      options.closed?.({ host: name, port, sent: socket.bytesWritten, received: socket.bytesRead }),
    );
    return { socket, name };
  } catch (error) {
    return refuse(options, name, port, 502, codeOf(error) ?? messageOf(error), facts);
  }
}

function refuse(
  { record }: Pick<EgressProxyOptions, "record">,
  host: string,
  port: number,
  status: number,
  reason: string,
  facts?: Partial<GitFacts>,
): Refused {
  record({ host: host.slice(0, 255), port, allowed: false, reason, ...facts });
  return { status, reason };
}

type FindWay = (host: string, port: number, isGone: () => boolean) => Promise<Way>;

/** @returns why a host that is on no list is refused. */
async function unlisted(
  name: string,
  port: number,
  { ask, allowHosts = [] }: EgressProxyOptions,
): Promise<string | undefined> {
  if (ask === undefined || port < 1 || port > 65_535) return `${name}:${port} is not on the operator's list`;
  return notPublic(name, port, allowHosts) ?? (await ask(name, port));
}

/** `CONNECT host:port`: bytes in both directions, whatever they are. */
async function tunnel(
  { url = "" }: IncomingMessage,
  near: Socket,
  head: Buffer,
  find: FindWay,
  keep: (stream: Duplex) => void,
): Promise<void> {
  const target = /^([^:/?#@[\]\s]+):(\d{1,5})$/.exec(url);
  const found = await find(target?.[1] ?? url, Number(target?.[2] ?? 0), () => near.destroyed);
  if ("status" in found) {
    near.end(refusalText(found.status, found.reason));
    return;
  }
  const { socket: far } = found;
  keep(far);
  if (near.destroyed) return void far.destroy();
  for (const [one, other] of [
    [near, far],
    [far, near],
  ] as const) {
    one.setTimeout(EGRESS_LIMITS.idleMs, () => one.destroy());
    // What one sent before it closed may still be on its way to the other, which reads as slowly as it likes.
    one.once("close", (isBroken) => (isBroken ? other.destroy() : other.destroySoon()));
  }
  near.write("HTTP/1.1 200 Connection established\r\n\r\n");
  far.write(head);
  near.pipe(far);
  far.pipe(near);
}

/** `GET http://host/path`: read whole by one parser and written anew, so that both sides count the same requests. */
async function plain(
  request: IncomingMessage,
  response: ServerResponse,
  { find, keep, git }: { find: FindWay; keep: (stream: Duplex) => void; git: GitDoor | undefined },
): Promise<void> {
  const url = URL.parse(request.url ?? "");
  const refuse = (status: number, reason: string): void => sayNo(response, status, reason);
  const failed = (error: unknown): void => {
    if (response.headersSent) response.destroy();
    else refuse(502, codeOf(error) ?? messageOf(error));
  };
  // As it was written: what URL makes of a name with odd characters is another name.
  const authority = /^http:\/\/([^:/?#@[\]\s\\]+)(?::(\d{1,5}))?(?:[/?]|$)/i.exec(request.url ?? "");
  if (url === null || authority === null) return refuse(400, "only http:// addresses and CONNECT are understood");
  if (git !== undefined && authority[1] === GIT_DOOR && authority[2] === undefined)
    return await git(request, response).catch(failed);
  const found = await find(authority[1] ?? "", Number(authority[2] ?? 80), () => request.destroyed);
  if ("status" in found) return refuse(found.status, found.reason);
  keep(found.socket);
  forward(request, response, { url, name: found.name, socket: found.socket }).catch(failed);
}

function refusalText(status: number, reason: string): string {
  const body = `margay: ${reason}\n`;
  return `HTTP/1.1 ${status} Refused\r\ncontent-type: text/plain\r\ncontent-length: ${Buffer.byteLength(body)}\r\nconnection: close\r\n\r\n${body}`;
}

/** @returns whether one more is let through in this minute. */
function createRate(clock: Pick<Clock, "now">): () => boolean {
  let minute = 0;
  let count = 0;
  return () => {
    const now = Math.floor(clock.now() / 60_000);
    if (now !== minute) [minute, count] = [now, 0];
    count += 1;
    return count <= EGRESS_LIMITS.perMinute;
  };
}
