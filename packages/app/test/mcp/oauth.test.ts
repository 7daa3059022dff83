import { readFileSync, readdirSync, statSync, writeFileSync } from "node:fs";
import { once } from "node:events";
import { createServer } from "node:net";
import { join } from "node:path";
import { callsTool, says } from "@margay/core/testing";
import { expect, onTestFinished, test } from "vitest";
import { margay } from "../cli/harness.ts";
import { oauthServers, type OAuthServers } from "./oauth-server.ts";
import { mcpApp, temporary, type McpApp } from "./support.ts";

/** `margay mcp login private` with a browser that follows redirects. */
async function signIn(
  servers: OAuthServers,
  headers: Readonly<Record<string, string>> = {},
  app = margay(),
): Promise<{ readonly home: string; readonly out: string; readonly code: number }> {
  app.configure({
    mcpServers: { private: { url: servers.url, headers } },
    tools: { webFetch: { allowHosts: [servers.authority] } },
  });
  const opened = new Set<string>();
  const { code, out } = await app.run(["mcp", "login", "private"], {
    onOut: (all) => {
      for (const url of all.match(/^http\S+\/authorize\S+$/gm) ?? []) {
        if (!opened.has(url)) void fetch(url).catch(() => {}); // of one too many nobody waits for the answer
        opened.add(url);
      }
    },
  });
  return { home: app.home, out, code };
}

function agentOn(servers: OAuthServers, home?: string): Promise<McpApp> {
  return mcpApp(
    { private: { url: servers.url } },
    { home: home ?? join(temporary(), "home"), config: { tools: { webFetch: { allowHosts: [servers.authority] } } } },
  );
}

test("R212 a sign-in discovers, registers, proves the code is its own, and keeps its tokens in a private file", async () => {
  const servers = await oauthServers();
  const { home, out, code } = await signIn(servers);
  expect({ code, end: out.trim().split("\n").at(-1) }).toEqual({ code: 0, end: "Signed in to private: 1 tools." });
  expect(servers.requests).toEqual([
    "GET /.well-known/oauth-authorization-server",
    "POST /register",
    "GET /authorize",
    "POST /token authorization_code",
  ]);
  const [file = ""] = readdirSync(join(home, "secrets"));
  expect(statSync(join(home, "secrets", file)).mode & 0o777).toBe(0o600);
  expect(readFileSync(join(home, "secrets", file), "utf8")).toContain("refresh-1");

  const { model, ask } = await agentOn(servers, home);
  model.replies(callsTool("mcp_private_whoami", {}), says("done"));
  const [text] = await ask("who am I?");
  expect(text).toContain("signed in with");
  expect(text).not.toContain("access-1"); // tokens are redacted wherever they turn up (R285)
});

test("R212 margay mcp test says that a server wants a sign-in, and uses the one there is", async () => {
  const servers = await oauthServers();
  const app = margay();
  app.configure({
    mcpServers: { private: { url: servers.url } },
    tools: { webFetch: { allowHosts: [servers.authority] } },
  });
  const before = await app.run(["mcp", "test", "private"]);
  expect([before.code, before.err]).toEqual([1, expect.stringContaining("`margay mcp login private`")]);
  await signIn(servers, {}, app);
  const after = await app.run(["mcp", "test", "private"]);
  expect(after).toMatchObject({ code: 0, err: expect.stringMatching(/^It waits for review: [^\n]*\n$/) });
});

test("client/MAX_SIGN_INS: a second sign-in of one connection is waited for, a third is not", async () => {
  const twice = await signIn(await oauthServers({ worthless: 1 }));
  expect([twice.code, twice.out.match(/\/authorize/g)]).toEqual([0, ["/authorize", "/authorize"]]);
  expect((await signIn(await oauthServers({ worthless: 2 }))).code).toBe(1);
});

test("R212 a server that greets anybody and wants the sign-in for its tools gets it then", async () => {
  const { code, out } = await signIn(await oauthServers({ greets: true }));
  expect({ code, end: out.trim().split("\n").at(-1) }).toEqual({ code: 0, end: "Signed in to private: 1 tools." });
});

test("R212 a second sign-in, which listens on another port, registers that one", async () => {
  const servers = await oauthServers();
  const app = margay();
  const { home } = await signIn(servers, {}, app);
  const [file = ""] = readdirSync(join(home, "secrets"));
  const [, port] =
    /"redirect":\s*"http:\/\/127\.0\.0\.1:(\d+)/.exec(readFileSync(join(home, "secrets", file), "utf8")) ?? [];
  const taken = createServer().listen(Number(port), "127.0.0.1");
  onTestFinished(() => void taken.close());
  await once(taken, "listening");
  expect((await signIn(servers, {}, app)).code).toBe(0);
  expect(servers.requests.filter((line) => line === "POST /register")).toHaveLength(2);
});

test("R212 an access token that ran out is refreshed without a person", async () => {
  const servers = await oauthServers();
  const { home } = await signIn(servers);
  const { model, ask } = await agentOn(servers, home);
  model.replies(callsTool("mcp_private_whoami", {}), callsTool("mcp_private_whoami", {}), says("done"));
  model.on("request", (_, number) => {
    if (number === 2) servers.expire();
  });
  const results = await ask("who am I?");
  expect(results.map((text) => text.includes("signed in with"))).toEqual([true, true]);
  expect(servers.requests).toContain("POST /token refresh_token");
});

test("R216 a server that wants a sign-in says so in one sentence, also when it took the rights away", async () => {
  const servers = await oauthServers();
  const { home } = await signIn(servers);
  const { model, ask } = await agentOn(servers, home);
  model.replies(callsTool("mcp_private_whoami", {}), says("done"));
  model.on("request", (_, number) => {
    if (number === 1) servers.revoke();
  });
  expect(await ask("who am I?")).toEqual([
    "Error: MCP server private needs a sign-in. Next: ask the operator to run `margay mcp login private`.",
  ]);
  const stranger = await agentOn(servers);
  stranger.model.replies(says("hi"));
  await stranger.ask("hello");
  expect(stranger.offered()).toEqual([]);
  expect(await stranger.logged("mcp.failed")).toMatchObject({
    message: expect.stringContaining("margay mcp login private"),
  });
});

test("R216 a file of tokens that is damaged is a sign-in that has to be made again", async () => {
  const servers = await oauthServers();
  const { home } = await signIn(servers);
  const [file = ""] = readdirSync(join(home, "secrets"));
  writeFileSync(join(home, "secrets", file), readFileSync(join(home, "secrets", file), "utf8").slice(0, -20));
  const { model, ask, offered, logged } = await agentOn(servers, home);
  model.replies(says("hi"));
  await ask("hello");
  expect(offered()).toEqual([]);
  expect(await logged("mcp.failed")).toMatchObject({ message: expect.stringContaining("margay mcp login private") });
});

test("MC5 an authorization server that the operator did not list is checked like a web address", async () => {
  const servers = await oauthServers();
  const app = margay();
  app.configure({ mcpServers: { private: { url: servers.url } } });
  const { code, err } = await app.run(["mcp", "login", "private"]);
  expect(code).toBe(1);
  expect(err).toContain("127.0.0.1 is not a public address");
  expect(servers.requests).toEqual([]);
});

test("MC5 R212 the configured headers go to the server and to nobody it names", async () => {
  const servers = await oauthServers();
  const { code } = await signIn(servers, { "X-Api-Key": "key-of-the-server" });
  expect(code).toBe(0);
  expect(servers.apiKeys).toEqual({ server: new Set(["key-of-the-server"]), authority: new Set([""]) });
});

test("R212 a server with an Authorization header of its own gets no other sign-in, in a test of it too", async () => {
  const servers = await oauthServers();
  const app = margay();
  app.configure({
    mcpServers: { private: { url: servers.url, headers: { Authorization: "Bearer wrong" } } },
    tools: { webFetch: { allowHosts: [servers.authority] } },
  });
  expect((await app.run(["mcp", "test", "private"])).code).toBe(1);
  expect([servers.tokens, servers.requests]).toEqual([new Set(["wrong"]), []]);
});
