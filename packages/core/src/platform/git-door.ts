/**
 * Git over https for confined programs, as plain requests to our proxy: so host, repository and verb are known, and the operator's
 * password is added here, outside. Only the three requests of git's smart protocol pass (gitprotocol-http), whatever is asked.
 */
import type { IncomingMessage, ServerResponse } from "node:http";
import type { Socket } from "node:net";
import { pipeline } from "node:stream/promises";
import { messageOf } from "../lib/errors.ts";
import { codeOf } from "./checked-addresses.ts";
import { sayNo } from "./egress-forward.ts";
import { elsewhere, type GitPlace, type GitTarget, type GitVerb, targetOf } from "./git-target.ts";
import { secure } from "./safe-exchange.ts";

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

/** Remembers answers and passwords as long as it lives: that is one call. */
export function createGitDoor(options: GitDoorOptions, ways: GitWays): GitDoor {
  const answers = new Map<string, Promise<GitAnswer>>();
  /** What a repository let in with, by verb: first asked for in `info/refs`. */
  const entered = new Map<string, { readonly authorization?: string }>();
  const decide = (target: GitTarget, credentials: boolean): Promise<GitAnswer> => {
    const { host, port, repository, verb } = target;
    const key = `${verb} ${String(credentials)} ${repository}`;
    const answer = answers.get(key) ?? options.decide({ host, port, repository, verb, credentials });
    answers.set(key, answer);
    return answer;
  };

  return async (request, response) => {
    const refuse = (reason: string, status = 403): undefined => {
      sayNo(response, status, reason);
      return undefined;
    };
    const target = targetOf(request);
    if (target === undefined) return refuse("only git's own requests for a repository pass here");
    const facts: GitFacts = { repository: target.repository, verb: target.verb };
    const key = `${target.verb} ${target.repository}`;

    const allowed = async (credentials: boolean): Promise<{ readonly trusted?: boolean } | undefined> => {
      const answer = await decide(target, credentials);
      if (answer.ok) return answer;
      ways.refused(target.host, target.port, facts, answer.reason);
      return refuse(answer.reason);
    };
    /** @returns the server's answer, or nothing when it was said why there is none. */
    const ask = async (authorization?: string): Promise<IncomingMessage | undefined> => {
      const isWithPassword = authorization !== undefined;
      const answer = await allowed(isWithPassword || target.verb === "push");
      if (answer === undefined) return undefined;
      const way = await ways.reach(target.host, target.port, {
        ...facts,
        ...(isWithPassword && { credentials: true }),
        ...(answer.trusted === true && { trusted: true }),
      });
      if ("status" in way) return refuse(`${way.reason}${NO_HTTPS}`, way.status);
      try {
        return await send(request, response, target, way.socket, authorization);
      } catch (error) {
        return refuse(`${target.host} did not answer over https (${reasonOf(error)})${NO_HTTPS}`, 502);
      }
    };
    /** With the operator's password, where one is wanted. */
    const enter = async (): Promise<IncomingMessage | undefined> => {
      const known = entered.get(key);
      const first = await ask(known?.authorization);
      if (first?.statusCode !== 401 || known?.authorization !== undefined) return first;
      first.destroy();
      if ((await allowed(true)) === undefined) return undefined;
      const authorization = await options.credential(target);
      if (authorization === undefined) return refuse(noPassword(target));
      const second = await ask(authorization);
      if (second !== undefined && second.statusCode !== 401) entered.set(key, { authorization });
      return second;
    };

    if (target.method === "POST" && !entered.has(key)) return refuse("ask for info/refs first");
    const message = target.method === "POST" ? await ask(entered.get(key)?.authorization) : await enter();
    if (message === undefined) return;
    const status = message.statusCode ?? 502;
    if (status === 401) {
      message.destroy();
      entered.delete(key);
      return refuse(wrongPassword(target));
    }
    if (status >= 300 && status < 400) {
      message.destroy();
      const location = target.method === "GET" ? elsewhere(target, message.headers.location) : undefined;
      if (location === undefined) return refuse(`${target.host} leads to what is no repository`);
      response.writeHead(status, { location, "content-length": "0", connection: "close" });
      return void response.end();
    }
    if (!entered.has(key) && status === 200) entered.set(key, {});
    response.writeHead(status, { ...passed(message, ANSWERED), connection: "close" });
    await pipeline(message, response);
  };
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
  request: IncomingMessage,
  response: ServerResponse,
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

function reasonOf(error: unknown): string {
  return codeOf(error) ?? messageOf(error);
}
