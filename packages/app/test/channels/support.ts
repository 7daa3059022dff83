// A receiver of webhooks, and a sender who signs what it posts.
import { createHmac } from "node:crypto";
import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import type { JsonObject, Logger } from "@margay/core";

export const SECRET = "webhook-secret-of-this-test";

export interface Received {
  readonly headers: Readonly<Record<string, string | undefined>>;
  readonly raw: string;
  readonly body: JsonObject;
}
export interface Receiver extends AsyncDisposable {
  readonly url: string;
  /** Requests that were taken; refused ones are not here. */
  readonly received: readonly Received[];
  /** Calls, refused ones included. */
  readonly calls: number;
  /** The next calls are answered with this status. */
  answer(status: number, calls: number, headers?: Readonly<Record<string, string>>): void;
  /** Resolves when that many were taken. */
  took(count: number): Promise<void>;
  called(count: number): Promise<void>;
}

/** @param secret refuses with 401 what is not signed with it. */
export async function startReceiver({ secret }: { readonly secret?: string } = {}): Promise<Receiver> {
  const received: Received[] = [];
  const answers: { readonly status: number; readonly headers: Readonly<Record<string, string>> }[] = [];
  const watchers = new Set<() => void>();
  let calls = 0;
  const server = createServer(async (request, response) => {
    let raw = "";
    for await (const chunk of request.setEncoding("utf8")) raw += String(chunk);
    const { "x-margay-timestamp": timestamp, "x-margay-signature": signature } = request.headers;
    const signed = secret === undefined || signature === signatureOf(secret, String(timestamp), raw);
    const { status, headers: own } = answers.shift() ?? { status: signed ? 200 : 401, headers: {} };
    calls += 1;
    if (status === 200) {
      const headers = request.headers as Readonly<Record<string, string | undefined>>; // none of ours comes twice
      received.push({ headers, raw, body: JSON.parse(raw) as JsonObject });
    }
    response.writeHead(status, status === 302 ? { location: "/elsewhere" } : own);
    response.end();
    for (const look of watchers) look();
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const reached = (holds: () => boolean): Promise<void> =>
    new Promise((resolve) => {
      const look = (): void => {
        if (!holds()) return;
        watchers.delete(look);
        resolve();
      };
      watchers.add(look);
      look();
    });
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/hook`,
    received,
    get calls() {
      return calls;
    },
    answer: (status, count, headers = {}) =>
      void answers.push(...Array.from({ length: count }, () => ({ status, headers }))),
    took: (count) => reached(() => received.length >= count),
    called: (count) => reached(() => calls >= count),
    [Symbol.asyncDispose]: async () => {
      server.close();
      server.closeAllConnections();
      await once(server, "close");
    },
  };
}

export interface PostOptions {
  readonly secret?: string;
  /** Seconds beside now. */
  readonly late?: number;
  readonly signature?: string;
  readonly path?: string;
  readonly method?: string;
}

/** @returns status and body of the answer. */
export async function postSigned(
  port: number,
  body: unknown,
  { secret = SECRET, late = 0, signature, path = "/webhook", method = "POST" }: PostOptions = {},
): Promise<{ readonly status: number; readonly body: JsonObject }> {
  const raw = typeof body === "string" ? body : JSON.stringify(body);
  const timestamp = String(Math.floor(Date.now() / 1000) - late);
  const response = await fetch(`http://127.0.0.1:${port}${path}`, {
    method,
    headers: {
      "x-margay-timestamp": timestamp,
      "x-margay-signature": signature ?? signatureOf(secret, timestamp, raw),
    },
    ...(method !== "GET" && { body: raw }),
  });
  return { status: response.status, body: (await response.json()) as JsonObject };
}

/** As a receiver written by somebody else would compute it. */
export function signatureOf(secret: string, timestamp: string, raw: string): string {
  return `v1=${createHmac("sha256", secret).update(`${timestamp}.${raw}`).digest("hex")}`;
}

export interface EventLog extends Logger {
  readonly events: readonly { readonly event: string; readonly data: JsonObject }[];
  /** The last event of that name, or the next when there is none yet. */
  logged(event: string): Promise<JsonObject>;
}

export function eventLog(): EventLog {
  const events: { readonly event: string; readonly data: JsonObject }[] = [];
  const watchers = new Set<() => void>();
  const write = (event: string, data: JsonObject = {}): void => {
    events.push({ event, data });
    for (const look of watchers) look();
  };
  const log: EventLog = {
    debug: write,
    info: write,
    warn: write,
    error: write,
    child: () => log,
    events,
    logged: (event) =>
      new Promise((resolve) => {
        const look = (): void => {
          const found = events.findLast((one) => one.event === event);
          if (found === undefined) return;
          watchers.delete(look);
          resolve(found.data);
        };
        watchers.add(look);
        look();
      }),
  };
  return log;
}
