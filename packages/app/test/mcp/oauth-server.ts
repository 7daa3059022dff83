// An MCP server that wants a sign-in, and the authorization server it names: both on 127.0.0.1, with ports of their own.
import { createHash } from "node:crypto";
import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { onTestFinished } from "vitest";

export interface OAuthServers {
  /** Of the MCP server. */
  readonly url: string;
  /** `host:port` of the authorization server. */
  readonly authority: string;
  /** Requests of the authorization server, as `METHOD path` with the kind of grant. */
  readonly requests: readonly string[];
  /** Bearer tokens the MCP server was sent; "" for none. */
  readonly tokens: ReadonlySet<string>;
  /** What each of the two was sent as `X-Api-Key`; "" for none. */
  readonly apiKeys: { readonly server: ReadonlySet<string>; readonly authority: ReadonlySet<string> };
  /** Every access token that was given out stops working. */
  expire(): void;
  /** The next ones too, and the refresh tokens with them. */
  revoke(): void;
}

/**
 * @param worthless So many sign-ins give a token that the MCP server does not take.
 * @param greets The MCP server wants the sign-in only for what concerns its tools.
 */
export async function oauthServers({ worthless = 0, greets = false } = {}): Promise<OAuthServers> {
  const requests: string[] = [];
  const tokens = new Set<string>();
  const apiKeys = { server: new Set<string>(), authority: new Set<string>() };
  const clients = new Map<string, readonly string[]>();
  const codes = new Map<string, { readonly challenge: string; readonly redirect: string; readonly resource: string }>();
  let valid = new Set<string>();
  let refreshTokens = new Set<string>();
  let count = 0;

  const issue = (): object => {
    count += 1;
    if (count <= worthless) return { access_token: `access-${count}`, token_type: "Bearer" };
    valid.add(`access-${count}`);
    refreshTokens.add(`refresh-${count}`);
    return {
      access_token: `access-${count}`,
      token_type: "Bearer",
      expires_in: 3600,
      refresh_token: `refresh-${count}`,
    };
  };
  const authority = await listen(async (request, response) => {
    const url = new URL(request.url ?? "/", authority.origin);
    const body = await read(request);
    const form = new URLSearchParams(body);
    apiKeys.authority.add(String(request.headers["x-api-key"] ?? ""));
    requests.push(`${request.method} ${url.pathname}${form.has("grant_type") ? ` ${form.get("grant_type")}` : ""}`);
    const query = url.searchParams;
    switch (url.pathname) {
      case "/.well-known/oauth-authorization-server":
        return json(response, 200, {
          issuer: authority.origin,
          authorization_endpoint: `${authority.origin}/authorize`,
          token_endpoint: `${authority.origin}/token`,
          registration_endpoint: `${authority.origin}/register`,
          response_types_supported: ["code"],
          grant_types_supported: ["authorization_code", "refresh_token"],
          code_challenge_methods_supported: ["S256"],
          token_endpoint_auth_methods_supported: ["none"],
        });
      case "/register": {
        const asked = JSON.parse(body) as { readonly redirect_uris: readonly string[] };
        clients.set(`client-${clients.size + 1}`, asked.redirect_uris);
        return json(response, 201, {
          ...asked,
          client_id: `client-${clients.size}`,
          token_endpoint_auth_method: "none",
        });
      }
      case "/authorize": {
        const redirect = query.get("redirect_uri") ?? "";
        const known = clients.get(query.get("client_id") ?? "")?.includes(redirect) === true;
        if (!known || query.get("code_challenge_method") !== "S256")
          return json(response, 400, { error: "invalid_request" });
        codes.set("code-1", {
          challenge: query.get("code_challenge") ?? "",
          redirect,
          resource: query.get("resource") ?? "",
        });
        const back = new URL(redirect);
        back.searchParams.set("code", "code-1");
        back.searchParams.set("state", query.get("state") ?? "");
        response.writeHead(302, { location: back.href });
        return response.end();
      }
      case "/token": {
        if (form.get("grant_type") === "refresh_token")
          return refreshTokens.delete(form.get("refresh_token") ?? "")
            ? json(response, 200, issue())
            : json(response, 400, { error: "invalid_grant" });
        const code = codes.get(form.get("code") ?? "");
        codes.delete(form.get("code") ?? "");
        const challenge = createHash("sha256")
          .update(form.get("code_verifier") ?? "")
          .digest("base64url");
        const fits =
          code?.challenge === challenge && code.redirect === form.get("redirect_uri") && code.resource === server.url;
        return fits ? json(response, 200, issue()) : json(response, 400, { error: "invalid_grant" });
      }
      default:
        return json(response, 404, {});
    }
  });

  const mcp = await listen(async (request, response) => {
    const body = await read(request);
    apiKeys.server.add(String(request.headers["x-api-key"] ?? ""));
    if (request.url?.startsWith("/.well-known/oauth-protected-resource") === true)
      return json(response, 200, { resource: server.url, authorization_servers: [authority.origin] });
    const token = request.headers.authorization?.replace(/^Bearer /, "") ?? "";
    tokens.add(token);
    const open = greets && !body.includes('"tools/');
    if (!open && !valid.has(token)) {
      response.setHeader(
        "www-authenticate",
        `Bearer resource_metadata="${mcp.origin}/.well-known/oauth-protected-resource/mcp"`,
      );
      return json(response, 401, {});
    }
    if (request.method !== "POST") return json(response, 405, {});
    return answer(response, JSON.parse(body) as Message, token);
  });
  const server: OAuthServers = {
    url: `${mcp.origin}/mcp`,
    authority: new URL(authority.origin).host,
    requests,
    tokens,
    apiKeys,
    expire: () => {
      valid = new Set();
    },
    revoke: () => {
      valid = new Set();
      refreshTokens = new Set();
    },
  };
  return server;
}

interface Message {
  readonly id?: number;
  readonly method: string;
  readonly params?: { readonly protocolVersion?: string };
}

function answer(response: ServerResponse, { id, method, params }: Message, token: string): void {
  if (id === undefined) {
    response.writeHead(202);
    response.end();
    return;
  }
  const reply = (result: object): void => json(response, 200, { jsonrpc: "2.0", id, result });
  switch (method) {
    case "initialize":
      return reply({
        protocolVersion: params?.protocolVersion,
        capabilities: { tools: {} },
        serverInfo: { name: "private", version: "1" },
      });
    case "tools/list":
      return reply({
        tools: [{ name: "whoami", inputSchema: { type: "object" }, annotations: { readOnlyHint: true } }],
      });
    case "tools/call":
      return reply({ content: [{ type: "text", text: `signed in with ${token}` }] });
    default:
      return json(response, 200, { jsonrpc: "2.0", id, error: { code: -32601, message: `no ${method}` } });
  }
}

async function listen(
  handle: (request: IncomingMessage, response: ServerResponse) => Promise<unknown>,
): Promise<{ readonly origin: string }> {
  const server: Server = createServer((request, response) => {
    handle(request, response).catch(() => response.destroy());
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  return { origin: `http://127.0.0.1:${(server.address() as AddressInfo).port}` };
}

async function read(request: IncomingMessage): Promise<string> {
  let text = "";
  for await (const chunk of request) text += String(chunk);
  return text;
}

function json(response: ServerResponse, status: number, body: object): void {
  response.writeHead(status, { "content-type": "application/json" });
  response.end(JSON.stringify(body));
}
