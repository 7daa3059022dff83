// A scripted model behind real HTTP, speaking four wire formats: what tests and benchmarks use in place of a vendor.

import type { IncomingMessage, ServerResponse } from "node:http";
import { createServer } from "node:http";

import { contextOf, delay, fullParts, perform, streamed, whole } from "./answer.ts";
import { createConversations } from "./conversations.ts";
import { directed } from "./directive.ts";
import { bodyOf, headersOf, listen, sendJson } from "./http.ts";
import { createEars, type Ears } from "./recordings.ts";
import type { RecordedRequest } from "./request.ts";
import { readRequest } from "./request.ts";
import { brokenRules } from "./rules.ts";
import type { Answer, Reply, Script } from "./script.ts";
import { says } from "./script.ts";
import { anthropicWire } from "./wire-anthropic.ts";
import { chatWire } from "./wire-chat.ts";
import { geminiWire } from "./wire-gemini.ts";
import { responsesWire } from "./wire-responses.ts";
import type { Wire } from "./wire.ts";

export interface MockModelOptions {
  /** Default: any free one. */
  readonly port?: number;
  /** What `/v1/models` lists. Default `["mock-model"]`. */
  readonly models?: readonly string[];
  /** `off`: neither the prompt cache property nor the wire's rules are checked. Default `strict`. */
  readonly rules?: "strict" | "off";
}

/** The server. Closing it throws when a request broke a rule. */
export interface MockModel extends AsyncDisposable, Pick<Ears, "recordings" | "hears" | "spoken" | "speaks"> {
  /** `http://127.0.0.1:PORT`. The OpenAI and Anthropic base is `url + "/v1"`, Gemini's `url + "/v1beta"`. */
  readonly url: string;
  readonly port: number;
  /** Model requests in order of arrival. */
  readonly requests: readonly RecordedRequest[];
  /** What was wrong with them, in order. */
  readonly violations: readonly string[];
  /**
   * Queued in order; each request takes the next. When the queue is empty the last `[[bench …]]` directive of the user
   * decides, else the text `ok`.
   */
  replies(...scripts: readonly Script[]): void;
  /** A queue of its own for the requests that match (sessions beside each other). The first matching route wins. */
  route(match: (request: RecordedRequest) => boolean, ...scripts: readonly Script[]): void;
  /** Resolves when that many requests have arrived in all. */
  received(count: number): Promise<void>;
  /** The next request that would break the prompt cache property may do so. `cause` is for the reader. */
  expectNewEpoch(cause: string): void;
  /** Called with each request, its number from 1, before it is answered; awaited. @returns the function that ends it. */
  on(event: "request", listener: (request: RecordedRequest, number: number) => void | Promise<void>): () => void;
  /** The violations so far; they no longer count. For tests of wrong clients. */
  takeViolations(): readonly string[];
  /** @throws Error when a request broke the prompt cache property or a rule of its wire. */
  assertClean(): void;
  /** Ends all connections, held ones too. @throws like `assertClean`. */
  close(): Promise<void>;
}

interface Queue {
  readonly match: (request: RecordedRequest) => boolean;
  readonly scripts: Script[];
}

type Listener = (request: RecordedRequest, number: number) => void | Promise<void>;

/** What was asked so far, and what is to be answered. */
interface MockState {
  readonly strict: boolean;
  readonly requests: RecordedRequest[];
  readonly violations: string[];
  readonly routes: Queue[];
  readonly main: Script[];
  readonly listeners: Set<Listener>;
  readonly arrivals: Set<() => void>;
  readonly conversations: ReturnType<typeof createConversations>;
  readonly ears: ReturnType<typeof createEars>;
  readonly closed: PromiseWithResolvers<void>;
  number: number;
}

/** Starts a mock model on 127.0.0.1. */
export async function startMockModel(options: MockModelOptions = {}): Promise<MockModel> {
  const mock: MockState = {
    strict: options.rules !== "off",
    requests: [],
    violations: [],
    routes: [],
    main: [],
    listeners: new Set(),
    arrivals: new Set(),
    conversations: createConversations(),
    ears: createEars(),
    closed: Promise.withResolvers(),
    number: 0,
  };
  const server = createServer((incoming, response) =>
    receive(mock, options.models ?? ["mock-model"], incoming, response),
  );
  server.keepAliveTimeout = 120_000;
  server.requestTimeout = 0;
  const port = await listen(server, options.port ?? 0);
  const { requests, violations, routes, main, listeners, conversations, ears } = mock;
  const close = async (): Promise<void> => {
    mock.closed.resolve();
    if (server.listening)
      await new Promise<void>((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      });
    assertClean(violations);
  };
  return {
    url: `http://127.0.0.1:${port}`,
    port,
    requests,
    recordings: ears.recordings,
    hears: ears.hears,
    spoken: ears.spoken,
    speaks: ears.speaks,
    violations,
    replies: (...scripts) => void main.push(...scripts),
    route: (match, ...scripts) => void routes.push({ match, scripts: [...scripts] }),
    received: (count) => received(mock, count),
    expectNewEpoch: (cause) => conversations.expectNewEpoch(cause),
    on(_event, listener) {
      listeners.add(listener);
      return () => void listeners.delete(listener);
    },
    takeViolations: () => violations.splice(0),
    assertClean: () => assertClean(violations),
    close,
    [Symbol.asyncDispose]: close,
  };
}

function assertClean(violations: readonly string[]): void {
  if (violations.length > 0)
    throw new Error(
      `The mock model saw ${violations.length} broken rule(s):\n${violations.map((violation) => `- ${violation}`).join("\n")}`,
    );
}

function received(mock: MockState, count: number): Promise<void> {
  return new Promise((resolve) => {
    const check = (): void => {
      if (mock.number < count) return;
      mock.arrivals.delete(check);
      resolve();
    };
    mock.arrivals.add(check);
    check();
  });
}

function receive(
  mock: MockState,
  models: readonly string[],
  incoming: IncomingMessage,
  response: ServerResponse,
): void {
  const { ears, violations } = mock;
  const url = new URL(incoming.url ?? "/", "http://mock");
  const isPost = incoming.method === "POST";
  const wire = isPost ? wireOf(url.pathname) : undefined;
  if (isPost && ears.takes(url.pathname)) void ears.answer(url.pathname, headersOf(incoming), incoming, response);
  else if (wire === undefined) sendModels(url.pathname, models, response);
  else
    answer(mock, wire, url.pathname, incoming, response).catch((error: unknown) => {
      violations.push(`the mock model itself failed: ${String(error)}`);
      response.destroy();
    });
}

async function answer(
  mock: MockState,
  wire: Wire,
  path: string,
  incoming: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  const { strict, violations, conversations, requests } = mock;
  const closedEarly = new Promise<boolean>((resolve) =>
    response.once("close", () => resolve(!response.writableFinished)),
  );
  const raw = await bodyOf(incoming);
  let request: RecordedRequest;
  try {
    request = readRequest(wire, path, headersOf(incoming), raw, closedEarly);
  } catch (error) {
    if (strict) violations.push(`${path}: the body is not JSON (${String(error)}).`);
    sendJson(response, 400, wire.failure(400, "The body is not valid JSON."));
    return;
  }
  const own = ++mock.number;
  const problems = strict ? brokenRules(request) : [];
  const conversation = strict && problems.length === 0 ? conversations.follow(request) : undefined;
  const name = `request ${own} (${wire.api})`;
  violations.push(...[...problems, ...(conversation?.problems ?? [])].map((problem) => `${name}: ${problem}`));
  const chosen: Chosen =
    problems.length > 0
      ? {
          reply: { kind: "failure", status: 400, body: wire.failure(400, problems.join(" ")), headers: {} },
          record: true,
        }
      : next(mock, request);
  if (chosen.record) requests.push(request);
  for (const arrived of mock.arrivals) arrived();
  for (const listener of mock.listeners) await listener(request, own);
  response.setHeader("x-request-id", `req-mock-${own}`).setHeader("request-id", `req-mock-${own}`);
  const { reply } = chosen;
  if (reply.kind !== "answer") {
    sendScripted(wire, reply, response);
    return;
  }
  conversation?.served(wire.signed ? fullParts(reply, own) : []);
  await sendAnswer(wire, reply, request, response, own, mock.closed.promise);
}

interface Chosen {
  readonly reply: Reply;
  readonly record: boolean;
}

function next({ routes, main }: MockState, request: RecordedRequest): Chosen {
  const queue = routes.find((route) => route.scripts.length > 0 && route.match(request))?.scripts ?? main;
  const script = queue.shift();
  if (script !== undefined) return { reply: typeof script === "function" ? script(request) : script, record: true };
  return directed(request) ?? { reply: says("ok"), record: true };
}

/** A reply that is no answer of a model: a failure, or bytes as they were written down. */
function sendScripted(wire: Wire, reply: Exclude<Reply, Answer>, response: ServerResponse): void {
  if (reply.kind === "failure") {
    for (const [key, value] of Object.entries(reply.headers)) response.setHeader(key, value);
    sendJson(
      response,
      reply.status,
      reply.body ?? wire.failure(reply.status, `The mock model was told to fail with ${reply.status}.`),
    );
    return;
  }
  response.writeHead(reply.status, reply.headers);
  response.flushHeaders();
  for (const chunk of reply.chunks) response.write(chunk);
  if (reply.end === "close") response.end();
  else if (reply.end === "cut") response.write("", () => response.destroy());
}

async function sendAnswer(
  wire: Wire,
  answer: Answer,
  request: RecordedRequest,
  response: ServerResponse,
  number: number,
  closed: Promise<void>,
): Promise<void> {
  const parts = fullParts(answer, number);
  const context = contextOf(answer, parts, request, number);
  if (answer.delayMs !== undefined) await delay(answer.delayMs);
  if (response.destroyed) return;
  const pace = { batch: answer.batch ?? 1, chunkDelayMs: answer.chunkDelayMs ?? 0, closed };
  if (!request.stream) {
    response.writeHead(200, { "content-type": "application/json" });
    await perform(whole(wire, answer, parts, context), response, pace);
    return;
  }
  response.writeHead(200, { "content-type": "text/event-stream; charset=utf-8", "cache-control": "no-cache" });
  response.flushHeaders();
  await perform(streamed(wire, answer, parts, context), response, pace);
}

function wireOf(path: string): Wire | undefined {
  if (path.endsWith("/chat/completions")) return chatWire;
  if (path.endsWith("/responses")) return responsesWire;
  if (path.endsWith("/messages")) return anthropicWire;
  return /\/models\/[^/]+:(?:streamG|g)enerateContent$/.test(path) ? geminiWire : undefined;
}

function sendModels(path: string, models: readonly string[], response: ServerResponse): void {
  const entry = (id: string): object => ({
    id,
    object: "model",
    type: "model",
    display_name: id,
    created: 1_700_000_000,
    owned_by: "mock",
  });
  if (path.endsWith("/models"))
    sendJson(response, 200, {
      object: "list",
      data: models.map(entry),
      models: models.map((id) => ({ name: `models/${id}` })),
    });
  else if (path.includes("/models/")) sendJson(response, 200, entry(path.slice(path.lastIndexOf("/") + 1)));
  else sendJson(response, 404, { error: { message: `The mock model has no ${path}.` } });
}
