/** The `fetch` of a remote server: its own address is the operator's word, every other one is checked. */
import type { FetchLike } from "@modelcontextprotocol/client";
import { RuntimeError, type Clock } from "@margay/core";
import { httpFetch, never } from "@margay/core/internal";
import { createSafeFetch } from "@margay/core/internal";

export interface ServerFetchOptions {
  readonly url: URL;
  /** Sent to the server itself, and to no other address it names: they are the operator's secrets. */
  readonly headers: Readonly<Record<string, string>>;
  /** Hosts the operator listed besides: `host` or `host:port`. */
  readonly allowHosts: readonly string[];
  readonly clock: Clock;
}

/** Where a server sends us for its sign-in (metadata, tokens) is named by the server: treated like any web address. */
export function serverFetch({ url: own, headers: configured, allowHosts, clock }: ServerFetchOptions): FetchLike {
  const direct = httpFetch({ sendsOnce: true }); // a call that writes is never repeated; what reads is, by who made it
  const checked = createSafeFetch({ clock, allowHosts });
  return async (input, init = {}) => {
    const url = new URL(input);
    if (url.origin === own.origin) {
      const headers = new Headers(configured);
      for (const [name, value] of new Headers(init.headers)) headers.set(name, value); // such as a token of a sign-in
      const lite = await direct(url, {
        ...init,
        headers: Object.fromEntries(headers),
        body: bodyOf(init.body),
      });
      const empty = lite.status === 204 || lite.status === 304;
      return new Response(empty ? null : lite.body, { status: lite.status, headers: [...lite.headers] });
    }
    const { method = "GET" } = init;
    if (method !== "GET" && method !== "POST") throw refused(`${method} to ${url.host} is not sent`);
    const body = bodyOf(init.body);
    const result = await checked(
      url.href,
      {
        method,
        headers: Object.fromEntries(new Headers(init.headers)),
        ...(body !== null && { body }),
      },
      init.signal ?? never(),
    );
    if (result.status === "refused") throw refused(`${result.refusal.fact}: ${url.host}`);
    const { response } = result;
    const { "content-encoding": _decoded, "content-length": _length, ...headers } = response.headers;
    return new Response(response.status === 204 ? null : Buffer.from(response.body), {
      status: response.status,
      headers,
    });
  };
}

function bodyOf(body: unknown): string | null {
  if (body === undefined || body === null) return null;
  return body instanceof URLSearchParams || typeof body === "string" ? body.toString() : null;
}

function refused(fact: string): RuntimeError {
  return new RuntimeError(
    "mcp.failed",
    `The MCP server points elsewhere: ${fact}. List the host in tools.webFetch.allowHosts if it is yours.`,
  );
}
