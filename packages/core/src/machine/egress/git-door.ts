/**
 * Git over https for confined programs, as plain requests to our proxy: so host, repository and verb are known, and the operator's
 * password is added here, outside. Only the three requests of git's smart protocol pass (gitprotocol-http), whatever is asked.
 */
import type { IncomingMessage, ServerResponse } from "node:http";
import type { Socket } from "node:net";
import { pipeline } from "node:stream/promises";
import { messageOf } from "../../lib/errors/errors.ts";
import { codeOf } from "../http/checked-addresses.ts";
import { sayNo } from "./forward.ts";
import { elsewhere, type GitPlace, type GitTarget, type GitVerb, targetOf } from "./git-target.ts";
import { secure } from "../http/safe-exchange.ts";

/** What a confined git wants, as a person is asked. */
export interface GitWish {
  readonly host: string;
  /** Of https. */
  readonly port: number;
  /** `github.com/me/proj`. */
  readonly repository: string;
  readonly verb: GitVerb;
  /** With the operator's password. A push always may; a fetch is tried without one first. */
  readonly credentials: boolean;
}
export type GitAnswer =
  /** `trusted`: what comes from there is the operator's own. */
  | { readonly ok: true; readonly trusted?: boolean }
  /** A sentence without its period; git shows it as `remote: margay: …`. */
  | { readonly ok: false; readonly reason: string };

export interface GitDoorOptions {
  /** Asked once for each repository, verb, and use of a password. */
  readonly decide: (wish: GitWish) => Promise<GitAnswer>;
  /** The value of an `Authorization`, asked of the operator's git outside. Never throws; undefined: there is none. */
  readonly credential: (place: GitPlace) => Promise<string | undefined>;
}

/** What is recorded of a connection beside where it goes. */
export interface GitFacts {
  readonly repository: string;
  readonly verb: GitVerb;
  readonly credentials?: true;
  readonly trusted?: true;
}
export interface GitWays {
  /** Records the attempt. @returns a connection to a checked address, or why there is none. */
  readonly reach: (
    host: string,
    port: number,
    facts: GitFacts,
  ) => Promise<{ readonly socket: Socket } | { readonly status: number; readonly reason: string }>;
  readonly refused: (host: string, port: number, facts: GitFacts, reason: string) => void;
}

export type GitDoor = (request: IncomingMessage, response: ServerResponse) => Promise<void>;

interface Visit {
  readonly target: GitTarget;
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
}
interface Refusal {
  readonly status: number;
  readonly reason: string;
}

/** Remembers answers and passwords as long as it lives: that is one call. */
export function createGitDoor(options: GitDoorOptions, ways: GitWays): GitDoor {
  const answers = new Map<string, Promise<GitAnswer>>();
  const passwords = new Map<string, Promise<string | undefined>>();
  /** With what a repository let in, by verb: first asked for in `info/refs`. */
  const entered = new Map<string, { readonly authorization?: string }>();

  const allow = async (target: GitTarget, credentials: boolean): Promise<{ readonly trusted?: boolean } | Refusal> => {
    const { host, port, repository, verb } = target;
    const key = `${keyOf(target)} ${String(credentials)}`;
    const asked = answers.get(key) ?? options.decide({ host, port, repository, verb, credentials });
    answers.set(key, asked);
    const answer = await asked;
    if (answer.ok) return answer;
    ways.refused(host, port, { repository, verb }, answer.reason);
    return refusal(answer.reason);
  };
  const ask = async ({ target, ...visit }: Visit, authorization?: string): Promise<IncomingMessage | Refusal> => {
    const { host, port, repository, verb } = target;
    const credentials = authorization !== undefined;
    const allowed = await allow(target, credentials || verb === "push");
    if ("reason" in allowed) return allowed;
    const way = await ways.reach(host, port, {
      repository,
      verb,
      ...(credentials && { credentials }),
      ...(allowed.trusted === true && { trusted: true }),
    });
    if ("status" in way) return { ...way, reason: `${way.reason}${NO_HTTPS}` };
    try {
      return await send(visit, target, way.socket, authorization);
    } catch (error) {
      return refusal(`${host} did not answer over https (${codeOf(error) ?? messageOf(error)})${NO_HTTPS}`, 502);
    }
  };
  /** Asks for `info/refs`, and with the operator's password where one is wanted. */
  const enter = async (visit: Visit): Promise<IncomingMessage | Refusal> => {
    const { target } = visit;
    const known = entered.get(keyOf(target))?.authorization;
    const first = await ask(visit, known);
    if ("reason" in first || first.statusCode !== 401 || known !== undefined) return first;
    first.destroy();
    const allowed = await allow(target, true);
    if ("reason" in allowed) return allowed;
    const whose = `${target.username ?? ""}@${target.repository}`;
    const password = passwords.get(whose) ?? options.credential(target);
    passwords.set(whose, password);
    const authorization = await password;
    if (authorization === undefined) return refusal(noPassword(target));
    const second = await ask(visit, authorization);
    if (!("reason" in second) && second.statusCode === 200) entered.set(keyOf(target), { authorization });
    return second;
  };

  return async (request, response) => {
    const target = targetOf(request);
    if (target === undefined) return sayNo(response, 403, "only git's own requests for a repository pass here");
    const key = keyOf(target);
    const isEntering = target.method === "GET";
    if (!isEntering && !entered.has(key)) return sayNo(response, 403, "ask for info/refs first");
    const visit = { target, request, response };
    const found = isEntering ? await enter(visit) : await ask(visit, entered.get(key)?.authorization);
    if ("reason" in found) return sayNo(response, found.status, found.reason);
    if (found.statusCode === 401) {
      entered.delete(key);
      passwords.clear();
    } else if (found.statusCode === 200 && !entered.has(key)) entered.set(key, {});
    await answer(visit, found);
  };
}

function keyOf({ verb, repository }: GitTarget): string {
  return `${verb} ${repository}`;
}

function refusal(reason: string, status = 403): Refusal {
  return { status, reason };
}

/** Passes on what the server said, but for what asks for a password or leads elsewhere. */
async function answer({ target, response }: Visit, message: IncomingMessage): Promise<void> {
  const { statusCode: status = 502 } = message;
  if (status === 401) {
    message.destroy();
    return sayNo(response, 403, wrongPassword(target));
  }
  if (status >= 300 && status < 400) {
    message.destroy();
    const location = target.method === "GET" ? elsewhere(target, message.headers.location) : undefined;
    if (location === undefined) return sayNo(response, 403, `${target.host} leads to what is no repository`);
    response.writeHead(status, { location, "content-length": "0", connection: "close" });
    response.end();
    return;
  }
  response.writeHead(status, { ...passed(message, ANSWERED), connection: "close" });
  await pipeline(message, response);
}

/** What a server that speaks only ssh looks like from here. */
const NO_HTTPS = ". Only git over https leaves the sandbox, not ssh";

function noPassword({ host, repository }: GitTarget): string {
  return `${repository} wants a password, and git on this machine has none for ${host}. Next: the operator runs \`git ls-remote https://${repository}\` outside once, with a credential helper that keeps what they type`;
}

function wrongPassword({ host, repository }: GitTarget): string {
  return `${host} refuses the password that git on this machine keeps. Next: the operator renews it outside: \`git ls-remote https://${repository}\``;
}

/** Nothing that says who asks but the password from here. */
const ASKED = [
  "accept",
  "accept-encoding",
  "accept-language",
  "content-encoding",
  "content-length",
  "content-type",
  "git-protocol",
  "pragma",
  "user-agent",
] as const;
const ANSWERED = ["cache-control", "content-encoding", "content-length", "content-type", "expires", "pragma"] as const;

function passed({ headers }: IncomingMessage, names: readonly string[]): Record<string, string> {
  return Object.fromEntries(
    names.flatMap((name) => (typeof headers[name] === "string" ? [[name, headers[name]] as const] : [])),
  );
}

/** The body is streamed. @throws the connection's error before the head of the answer. */
async function send(
  { request, response }: Omit<Visit, "target">,
  { host, port, pathAndQuery, method }: GitTarget,
  socket: Socket,
  authorization?: string,
): Promise<IncomingMessage> {
  const url = new URL(`https://${host}:${port}${pathAndQuery}`);
  const answered = Promise.withResolvers<IncomingMessage>();
  const outgoing = process.getBuiltinModule("node:http").request({
    method,
    path: pathAndQuery,
    headers: {
      ...passed(request, ASKED),
      host: url.host,
      ...(authorization !== undefined && { authorization }),
      connection: "close",
    },
    setHost: false,
    createConnection: () => secure(url, socket),
  });
  outgoing.once("response", answered.resolve);
  outgoing.once("error", answered.reject);
  response.once("close", () => outgoing.destroy());
  outgoing.on("error", () => undefined); // after the head: whoever reads the answer sees that it broke off
  if (method === "GET") outgoing.end();
  // Not `pipeline`: a server that refuses need not read all, and its answer must still arrive.
  else request.pipe(outgoing);
  return await answered.promise;
}
