// What a person does → the line of the audit log that tells of it: every kind that there is.
import { createHmac } from "node:crypto";
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { type JsonObject } from "@margay/core";
import { openFileDocs, OWN_AUDIT_EVENTS, systemClock, type Quarantined } from "@margay/core/internal";
import { callsTool, says, startMockModel } from "@margay/core/testing";
import { expect, onTestFinished, test } from "vitest";
import { openPairing } from "../src/host/pairing.ts";
import { AUDIT_EVENTS } from "../src/host/audit-events.ts";
import { auditOf } from "../src/host/audit-log.ts";
import { margay, modelConfig, type Margay } from "./cli/harness.ts";
import { logIn } from "./gateway/browser.ts";
import { operations, type Operate } from "./gateway/operations.ts";
import { savesLetter } from "./gateway/strangers-files.ts";
import { startGateway, type GatewayPlaceOptions, type TestGateway } from "./gateway/support.ts";
import { oauthServers } from "./mcp/oauth-server.ts";
import { ECHO, fakeServer } from "./mcp/support.ts";
import { approved, oneTool, writePlugin } from "./plugins/plugin-home.ts";

type Kind = "call" | "turn" | (typeof OWN_AUDIT_EVENTS)[number] | (typeof AUDIT_EVENTS)[number];

/** One way in which a line of its kind comes about. */
interface Way {
  readonly how: string;
  /** Does it, and ends what wrote the log. @returns the state directory. */
  readonly act: () => Promise<string>;
  /** Of the one line that this makes: the data of an event, fields of a call or turn. */
  readonly says: unknown;
}

/** At a gateway. */
function page(
  how: string,
  act: (gateway: TestGateway, operate: Operate) => Promise<unknown>,
  says: unknown,
  options: GatewayPlaceOptions = {},
): Way {
  return {
    how,
    act: async () => {
      const gateway = await startGateway({ onTestFinished }, options);
      await act(gateway, operations(gateway));
      await gateway.stop();
      return gateway.home;
    },
    says,
  };
}

/** By commands, no gateway runs. */
function alone(how: string, act: (cli: Margay) => Promise<unknown>, says: unknown): Way {
  return {
    how,
    act: async () => {
      const cli = margay();
      await act(cli);
      return cli.home;
    },
    says,
  };
}

/** By a command beside a gateway that runs. */
function beside(
  how: string,
  act: (run: (...argv: string[]) => Promise<unknown>, gateway: TestGateway) => Promise<unknown>,
  says: unknown,
  options: GatewayPlaceOptions = {},
): Way {
  const run =
    (gateway: TestGateway) =>
    (...argv: string[]) =>
      margay().run(argv, { env: { MARGAY_HOME: gateway.home } });
  return page(how, (gateway) => act(run(gateway), gateway), says, options);
}

const PASSWORD = "four unrelated words here";
const HELD = JSON.stringify({ unclean: [1], heldSince: 1 });
const ANY = { "if-match": "*" };
const NEW = { "if-none-match": "*" };

/** A stranger asks to be let in. @returns the code. */
const offer = async (home: string): Promise<string> =>
  (await openPairing(openFileDocs(home), systemClock()).offer("webhook", "42")) ?? "none";

const say = ({ app }: TestGateway, text: string): Promise<unknown> =>
  app.agent.send("web:one", text, { origin: { channel: "web", chat: "one" } }).finished;

/** The command that the model wants waits for a person, who says this. */
async function asked(gateway: TestGateway, answer: JsonObject): Promise<void> {
  gateway.model.replies(callsTool("exec", { command: "true" }), says("done"));
  const { finished } = gateway.app.agent.send("web:one", "go", { origin: { channel: "web", chat: "one" } });
  const waiting = async (): Promise<readonly JsonObject[]> => (await gateway.api("/approvals")).body.items;
  await expect.poll(async () => (await waiting()).length).toBe(1);
  const [{ session, call, hash } = {}] = await waiting();
  const path = `/sessions/${String(session)}/approvals/${String(call)}`;
  expect((await gateway.api(path, { method: "POST", body: { hash, ...answer } })).status).toBe(200);
  await finished;
}

/** What the gateway does by itself, when it sees something. */
async function written({ app }: TestGateway, kind: Kind): Promise<void> {
  await expect.poll(async () => JSON.stringify(await app.audit.list({ kind: "event" }))).toContain(`"${kind}"`);
}

async function saved(gateway: TestGateway): Promise<void> {
  await asked(gateway, { verdict: "allow", remember: "always" });
}

/** A file is written, and taken back over the API. */
async function undone(gateway: TestGateway, operate: Operate): Promise<void> {
  gateway.model.replies(callsTool("write_file", { path: "a.txt", content: "x" }), says("done"));
  await say(gateway, "write");
  const id = (await gateway.app.agent.sessions.find("web:one"))?.state.id ?? "";
  expect((await operate("undoTurn", { params: { id }, body: {} })).status).toBe(200);
}

/** Its gateway has ended before: a home in use stays where it is. */
async function movedAway({ app, home }: TestGateway): Promise<void> {
  await app[Symbol.asyncDispose]();
  await margay().run(["move", join(home, "../moved-to")], { env: { MARGAY_HOME: home } });
}

/** A turn leaves a file that counts as strangers' text. */
async function labelled(gateway: TestGateway): Promise<void> {
  savesLetter(gateway, "page.md");
  await say(gateway, "save it");
}

/** As the person types it into the chat of the page. */
async function typed({ app }: TestGateway, text: string): Promise<void> {
  const origin = { channel: "web", chat: "one" };
  const message = { key: text, origin, from: { id: "user", kind: "person" } as const, sessionKey: "web:one" };
  await app.agent.bus.accept({ ...message, parts: [{ type: "text", text }] });
  await app.agent.idle();
}

const VOUCHED = { path: "page.md", sha256: expect.stringMatching(/^[0-9a-f]{64}$/) };

async function hooked(operate: Operate): Promise<string> {
  const { body } = await operate("putHook", { params: { name: "git" }, body: { scheme: "github" }, headers: NEW });
  return String(body.hash);
}

/** The code of `/link` that the page gave, sent from an account of a chat platform, and what the page says to it. */
async function linked(gateway: TestGateway, code: string | undefined, ...then: readonly string[]): Promise<void> {
  await typed(gateway, "/link");
  const session = await gateway.app.agent.sessions.find("web:one");
  let given = "";
  if (session !== undefined)
    for await (const { records } of session.history())
      given = /`\/link ([A-Z2-9]{8})`/.exec(JSON.stringify(records))?.[1] ?? given;
  for (const key of code === undefined ? ["1"] : ["1", "2", "3", "4", "5"])
    await gateway.app.agent.bus.accept({
      key,
      origin: { channel: "webhook", chat: "42" },
      from: { id: "42", kind: "person" },
      parts: [{ type: "text", text: `/link ${code ?? given}` }],
      chat: "private",
    });
  for (const text of then) await typed(gateway, text);
}

/** What Eva told Bob would go on to Carl; he lets it not. */
async function released({ app: { agent }, model }: TestGateway): Promise<void> {
  let key = 0;
  const writes = async (id: string, text: string): Promise<void> => {
    const from = { id, kind: "person" } as const;
    const origin = { channel: "webhook", chat: id };
    await agent.bus.accept({ key: `${++key}`, origin, from, parts: [{ type: "text", text }], chat: "private" });
    await agent.idle();
  };
  for (const id of ["eva", "bob", "carl"]) await writes(id, "hi");
  for (const [id, to] of [
    ["eva", "bob"],
    ["bob", "carl"],
  ] as const) {
    model.replies(callsTool("message", { channel: "webhook", chat_id: to, content: "red" }), says("did it"));
    await writes(id, `tell ${to}`);
  }
  const session = await agent.sessions.find("webhook:bob");
  await writes("bob", `/deny ${session?.state.releases?.[0]?.code ?? ""}`);
}

/** Bob lets Eva have what his memory says of the key, and takes it back. */
async function shared({ app: { agent }, model, home }: TestGateway): Promise<void> {
  let key = 0;
  const writes = async (id: string, text: string): Promise<void> => {
    const from = { id, kind: "person" } as const;
    const origin = { channel: "webhook", chat: id };
    await agent.bus.accept({ key: `s${++key}`, origin, from, parts: [{ type: "text", text }], chat: "private" });
    await agent.idle();
  };
  for (const id of ["eva", "bob"]) await writes(id, "hi");
  mkdirSync(join(home, "spaces/p-bob/memory"), { recursive: true });
  writeFileSync(join(home, "spaces/p-bob/memory/MEMORY.md"), "- the key is with Mia\n");
  model.replies(
    callsTool("ask_person", { person: "bob", question: "where is the key?" }),
    callsTool("recall", { query: "key" }),
    says("with Mia"),
    says("I asked"),
  );
  await writes("eva", "ask Bob");
  const session = await agent.sessions.find("webhook:bob");
  await writes("bob", `/allow ${session?.state.releases?.[0]?.code ?? ""} always`);
  const { shares } = JSON.parse(readFileSync(join(home, "shares.json"), "utf8")) as { shares: { id: string }[] };
  await writes("bob", `/shared remove ${shares[0]?.id ?? ""}`);
}

const LINKS = { config: { channels: { webhook: { enabled: true, secret: "s" } } } };
const SHARING = {
  config: { ...LINKS.config, people: { eva: { ids: ["webhook:eva"] }, bob: { ids: ["webhook:bob"] } } },
};
const REMOTE = { url: "https://tools.example/mcp" };
const PAIRED = { channel: "webhook", sender: "42" };

async function paired(gateway: TestGateway, operate: Operate): Promise<string> {
  const code = await offer(gateway.home);
  const { body } = await operate("approvePairing", { params: { code }, body: {} });
  return String(body.id);
}

/** What was written is not what is there. */
function tamper(home: string): void {
  const [name = ""] = readdirSync(join(home, "audit")).filter((one) => one.endsWith(".jsonl"));
  const path = join(home, "audit", name);
  writeFileSync(path, readFileSync(path, "utf8").replace('"by":"user"', '"by":"root"'));
}

const CONFINED: GatewayPlaceOptions = { config: { tools: { exec: { sandbox: "required" } } } };

/** @returns what was kept aside of it. */
async function leavesBehind(gateway: TestGateway): Promise<Quarantined> {
  gateway.model.replies(callsTool("exec", { command: "echo 'export A=1' > .envrc" }), says("done"));
  await say(gateway, "make it");
  const [item] = await gateway.app.inside.quarantine.list();
  if (item === undefined) throw new Error("nothing was kept aside");
  return item;
}

const KINDS: Record<Kind, readonly Way[]> = {
  call: [
    page(
      "the model reads a file",
      async (gateway) => {
        gateway.model.replies(callsTool("list_dir", { path: "." }), says("done"));
        await say(gateway, "look");
      },
      { tool: "list_dir", decision: "allow", status: "ok" },
    ),
  ],
  turn: [page("a message", (gateway) => say(gateway, "hello there"), { reason: "done", user: "hello there" })],
  "release.answered": [
    page(
      "whom it belongs to says no",
      released,
      { verdict: "deny", by: "bob" },
      {
        config: {
          ...LINKS.config,
          people: { eva: { ids: ["webhook:eva"] }, bob: { ids: ["webhook:bob"] }, carl: { ids: ["webhook:carl"] } },
        },
      },
    ),
  ],
  "approval.resolved": [
    page("a no in the page", (gateway) => asked(gateway, { verdict: "deny" }), {
      tool: "exec",
      verdict: "deny",
      by: "user",
    }),
    page("a yes for good", saved, { tool: "exec", verdict: "allow", by: "user", remember: "always" }),
  ],
  "context.endorsed": [
    page(
      "/trust after what a program sent",
      async (gateway) => {
        const origin = { channel: "web", chat: "one" };
        await gateway.app.agent.send("web:one", "read this", { origin, from: { id: "api:other", kind: "person" } })
          .finished;
        await typed(gateway, "/trust");
      },
      { by: "user" },
    ),
  ],
  "agent.bound": [
    page(
      "a conversation works with another agent",
      async (gateway) => {
        await say(gateway, "hello there");
      },
      { agent: "quiet", rule: "bindings[0] (channel)" },
      { config: { agents: { quiet: { tools: [] } }, bindings: [{ channel: "web", agent: "quiet" }] } },
    ),
  ],
  "audit.broken": [
    alone(
      "a log that lost its directory is found at the next start",
      async (cli) => {
        mkdirSync(join(cli.home, "sessions"), { recursive: true });
        writeFileSync(join(cli.home, "sessions", "s.journal"), "");
        await cli.run(["stop", "--all"]);
      },
      { what: expect.stringContaining("gone") },
    ),
  ],
  "audit.renewed": [
    alone(
      "renew",
      async (cli) => {
        await cli.run(["stop", "--all"]);
        await cli.run(["resume", "--all"]);
        tamper(cli.home);
        await cli.run(["audit", "renew"]);
      },
      { by: "user", what: expect.stringContaining("1"), aside: expect.stringMatching(/^audit-\d/) },
    ),
  ],
  "auth.browser-closed": [
    page(
      "a browser is logged out by another one",
      async (gateway, operate) => {
        await logIn(gateway);
        const [{ id }] = (await operate("listBrowsers")).body.items;
        await operate("closeBrowser", { params: { id } });
      },
      { browser: expect.any(String), by: expect.any(String) },
    ),
  ],
  "auth.confirmed": [
    page(
      "the password once more",
      async (gateway) => {
        await gateway.gateway.auth.setPassword(PASSWORD);
        await (await logIn(gateway)).api("/auth/confirm", { method: "POST", body: { password: PASSWORD } });
      },
      { browser: expect.any(String), address: "127.0.0.1" },
    ),
  ],
  "auth.login": [
    page("a link of the terminal", (gateway) => logIn(gateway), { by: "code", address: "127.0.0.1" }),
    page(
      "the password",
      async (gateway, operate) => {
        await gateway.gateway.auth.setPassword(PASSWORD);
        await operate("login", { body: { password: PASSWORD }, token: null });
      },
      { by: "password", address: "127.0.0.1" },
    ),
    page(
      "the first set-up",
      async (gateway, operate) => {
        const { code } = gateway.gateway.auth.codes.mint("setup");
        await operate("setUp", { body: { code, password: PASSWORD }, token: null });
      },
      { by: "setup", address: "127.0.0.1" },
      { setup: true },
    ),
  ],
  "auth.logout": [
    page("log out", async (gateway) => (await logIn(gateway)).api("/auth/logout", { method: "POST" }), {
      browser: expect.any(String),
    }),
  ],
  "auth.password-set": [
    page("a password is set", (_gateway, operate) => operate("setPassword", { body: { password: PASSWORD } }), {
      by: expect.any(String),
    }),
  ],
  "auth.refused": [
    page(
      "a wrong password",
      async (gateway, operate) => {
        await gateway.gateway.auth.setPassword(PASSWORD);
        await operate("login", { body: { password: "another one of them" }, token: null });
      },
      { by: "password", address: "127.0.0.1" },
    ),
    page(
      "a wrong code",
      (_, operate) => operate("exchangeLoginCode", { body: { code: "A".repeat(26) }, token: null }),
      {
        by: "login",
        result: "wrong",
        address: "127.0.0.1",
      },
    ),
    page("a wrong token", (_, operate) => operate("listSessions", { token: `mgy_${"x".repeat(43)}` }), {
      by: "token",
      address: "127.0.0.1",
      path: "/api/v1/sessions",
    }),
  ],
  "auth.token-created": [
    page("a token", (_, operate) => operate("createToken", { body: { name: "phone", scopes: ["chat"] } }), {
      name: "phone",
      scopes: ["chat"],
      by: expect.any(String),
      token: expect.any(String),
    }),
  ],
  "auth.token-revoked": [
    page(
      "a token is revoked",
      async (_, operate) => {
        const { id } = (await operate("createToken", { body: { name: "phone", scopes: ["chat"] } })).body;
        await operate("revokeToken", { params: { id } });
      },
      { token: expect.any(String), by: expect.any(String) },
    ),
  ],
  "auth.token-rotated": [
    page(
      "a token gets another secret",
      async (_, operate) => {
        const { id } = (await operate("createToken", { body: { name: "phone", scopes: ["chat"] } })).body;
        await operate("rotateToken", { params: { id }, body: {} });
      },
      { token: expect.any(String), by: expect.any(String) },
    ),
  ],
  "home.moved": [
    page("a home is moved", (gateway) => movedAway(gateway), { place: expect.stringContaining("moved-to") }),
  ],
  "home.taken-back": [
    page(
      "a home that was moved is taken back",
      async (gateway) => {
        await movedAway(gateway);
        await margay().run(["move", "--take-back"], { env: { MARGAY_HOME: gateway.home } });
      },
      { place: expect.stringContaining("moved-to") },
    ),
  ],
  "config.exported": [
    page("a backup", (_, operate) => operate("exportConfig", { body: { sections: ["settings"] } }), {
      sections: ["settings"],
      secrets: "none",
    }),
  ],
  "config.imported": [
    page(
      "a backup is put back",
      async (gateway, operate) => {
        writeFileSync(join(gateway.workspace, "USER.md"), "Ada\n");
        const raw = JSON.stringify((await operate("exportConfig", { body: { sections: ["memory"] } })).body);
        const { token } = (await operate("importConfig", { raw, query: { dryRun: "true" } })).body;
        await operate("importConfig", { raw, query: { token } });
      },
      { format: "margay", sections: ["memory"] },
    ),
  ],
  "contact.changed": [
    page(
      "somebody becomes an operator",
      async (gateway, operate) =>
        operate("putContact", { params: { id: await paired(gateway, operate) }, body: { role: "operator" } }),
      { ...PAIRED, role: "operator" },
    ),
  ],
  "contact.removed": [
    page(
      "somebody is removed",
      async (gateway, operate) => operate("deleteContact", { params: { id: await paired(gateway, operate) } }),
      PAIRED,
    ),
  ],
  egress: [
    page(
      "a command asks for a host that is not on the list",
      async (gateway) => {
        gateway.model.replies(
          callsTool("exec", { command: "curl -s -o /dev/null http://elsewhere.invalid/" }),
          says("done"),
        );
        await say(gateway, "go");
      },
      { by: "exec", host: "elsewhere.invalid", port: 80, allowed: false },
      { config: { tools: { exec: { network: ["allowed.example"] } } } },
    ),
    {
      how: "an MCP server asks for a host that is not on its list",
      act: () => {
        const { command, args = [], ...rest } = fakeServer().config;
        const line = 'curl -s -o /dev/null http://elsewhere.example/; exec "$0" "$@"';
        const fake = {
          ...rest,
          command: "/bin/sh",
          args: ["-c", line, command ?? "", ...(args as string[])],
          network: ["allowed.example"],
        };
        const act = (gateway: TestGateway): Promise<unknown> => say(gateway, "hello");
        return page("", act, {}, { config: { mcpServers: { fake }, mcp: { connectTimeoutSeconds: 60 } } }).act();
      },
      says: { by: "mcp.fake", host: "elsewhere.example", port: 80, allowed: false },
    },
  ],
  "estop.off": [
    page(
      "released in the page",
      async (_, operate) => {
        await operate("putEstop", { body: { on: true } });
        await operate("putEstop", { body: { on: false } });
      },
      { by: expect.any(String) },
    ),
    alone(
      "resume --all",
      async (cli) => {
        await cli.run(["stop", "--all"]);
        await cli.run(["resume", "--all"]);
      },
      { by: "user" },
    ),
    beside(
      "resume --all beside a gateway",
      async (run) => {
        await run("stop", "--all");
        await run("resume", "--all");
      },
      { by: "user" },
    ),
  ],
  "estop.on": [
    page("stopped in the page", (_, operate) => operate("putEstop", { body: { on: true } }), {
      by: expect.any(String),
    }),
    alone("stop --all", (cli) => cli.run(["stop", "--all"]), { by: "user" }),
    beside("stop --all beside a gateway", (run) => run("stop", "--all"), { by: "user" }),
    page(
      "touch paused",
      async (gateway) => {
        writeFileSync(join(gateway.home, "paused"), "");
        await written(gateway, "estop.on");
      },
      { by: "file" },
    ),
  ],
  "file.trusted": [
    page(
      "in the page",
      async (gateway, operate) => {
        await labelled(gateway);
        const [{ path, sha256 }] = (await operate("listLabels")).body.items;
        await operate("trustFiles", { body: [{ path, sha256 }] });
      },
      { ...VOUCHED, by: "test" },
    ),
    page(
      "/trust files, then all of what it shows",
      async (gateway) => {
        await labelled(gateway);
        await typed(gateway, "/trust files");
        await typed(gateway, "/trust files all");
      },
      { ...VOUCHED, by: "user" },
    ),
    alone(
      "by a command",
      async (cli) => {
        const model = await startMockModel();
        onTestFinished(() => model.close());
        cli.configure(modelConfig(model.url));
        savesLetter({ model, workspace: join(cli.home, "workspace") }, "page.md");
        await cli.run(["agent", "-m", "save it"]);
        await cli.run(["trust", "--yes"]);
      },
      { ...VOUCHED, by: "user" },
    ),
    beside(
      "by a command beside a gateway",
      async (run, gateway) => {
        await labelled(gateway);
        await run("trust", "page.md", "--yes");
      },
      { ...VOUCHED, by: "user" },
    ),
  ],
  "hook.changed": [page("a webhook is set up", (_, operate) => hooked(operate), { hook: "git" })],
  "hook.refused": [
    page(
      "a call without a signature",
      async (gateway, operate) => {
        await hooked(operate);
        const headers = { "x-hub-signature-256": `sha256=${createHmac("sha256", "x").update("{}").digest("hex")}` };
        await gateway.api("/!/hooks/git", { method: "POST", raw: "{}", headers, token: null });
      },
      { hook: "git", address: "127.0.0.1", reason: expect.any(String) },
    ),
  ],
  "hook.removed": [
    page(
      "a webhook is removed",
      async (_, operate) =>
        operate("deleteHook", { params: { name: "git" }, headers: { "if-match": `"${await hooked(operate)}"` } }),
      { hook: "git" },
    ),
  ],
  "mcp.approved": [
    {
      how: "changed tools are accepted",
      act: () => {
        const fake = fakeServer();
        const params = { name: "fake" };
        const act = async (gateway: TestGateway, operate: Operate): Promise<void> => {
          await say(gateway, "hello");
          fake.behave({ tools: [{ ...ECHO, description: "Another." }] });
          const { manifestHash } = (await operate("reconnectMcpServer", { params })).body;
          await operate("approveMcpServer", { params, body: { manifestHash } });
        };
        return page("", act, {}, { config: { mcpServers: { fake: fake.config } } }).act();
      },
      says: { server: "fake", hash: expect.any(String), tools: ["echo"], by: expect.any(String) },
    },
  ],
  "mcp.changed": [
    page(
      "a server is added",
      (_, operate) => operate("putMcpServer", { params: { name: "web" }, body: REMOTE, headers: NEW }),
      { server: "web", what: REMOTE.url },
    ),
  ],
  "mcp.refused": [
    {
      how: "what a server says of itself is kept out",
      act: () => {
        const params = { name: "fake" };
        const act = async (_: TestGateway, operate: Operate): Promise<void> => {
          const { manifestHash } = (await operate("reconnectMcpServer", { params })).body;
          await operate("refuseMcpServer", { params, body: { manifestHash } });
        };
        return page("", act, {}, { config: { mcpServers: { fake: fakeServer().config } } }).act();
      },
      says: { server: "fake", hash: expect.any(String), tools: ["echo"], by: expect.any(String) },
    },
  ],
  "mcp.removed": [
    page(
      "a server is removed",
      (_, operate) => operate("deleteMcpServer", { params: { name: "web" }, headers: ANY }),
      { server: "web" },
      { config: { mcpServers: { web: { ...REMOTE, disabled: true } } } },
    ),
  ],
  "mcp.signed-in": [
    {
      how: "a sign-in comes back",
      act: async () => {
        const servers = await oauthServers();
        const act = async (gateway: TestGateway, operate: Operate): Promise<void> => {
          const { url } = (await operate("startMcpSignIn", { params: { name: "private" } })).body;
          const asked = await fetch(url, { redirect: "manual" });
          const back = await fetch(asked.headers.get("location") ?? "");
          expect(back.status).toBe(200);
          await written(gateway, "mcp.signed-in");
        };
        return page(
          "",
          act,
          {},
          {
            config: {
              mcpServers: { private: { url: servers.url } },
              tools: { webFetch: { allowHosts: [servers.authority] } },
            },
          },
        ).act();
      },
      says: { server: "private" },
    },
  ],
  "memory.edited": [
    page(
      "AGENTS.md is written in the page",
      async (_, operate) => {
        const params = { name: "AGENTS.md" };
        const { hash } = (await operate("readMemoryFile", { params })).body;
        await operate("writeMemoryFile", { params, body: { text: "- tea\n" }, headers: { "if-match": `"${hash}"` } });
      },
      { file: "AGENTS.md", by: expect.any(String), before: expect.any(String), after: expect.any(String) },
    ),
  ],
  "pairing.approved": [
    page("in the page", paired, { ...PAIRED, role: "paired", by: "test" }),
    alone("by a command", async (cli) => cli.run(["channels", "pair", await offer(cli.home), "--operator"]), {
      ...PAIRED,
      role: "operator",
      by: "user",
    }),
    beside("by a command beside a gateway", async (run, { home }) => run("channels", "pair", await offer(home)), {
      ...PAIRED,
      role: "paired",
      by: "user",
    }),
  ],
  "pairing.refused": [
    alone("a wrong code", (cli) => cli.run(["channels", "pair", "WRONGONE"]), { by: "user" }),
    beside("a wrong code beside a gateway", (run) => run("channels", "pair", "WRONGONE"), { by: "user" }),
  ],
  "pairing.rejected": [
    page(
      "in the page",
      async (gateway, operate) => operate("rejectPairing", { params: { code: await offer(gateway.home) } }),
      {
        ...PAIRED,
        by: "test",
      },
    ),
  ],
  "conversation.opened": [
    page(
      "another person's, in the page",
      async (gateway, operate) => {
        await gateway.app.agent.bus.accept({
          key: "1",
          origin: { channel: "webhook", chat: "eva" },
          from: { id: "eva", kind: "person" },
          parts: [{ type: "text", text: "hi" }],
          chat: "private",
        });
        const [{ id }] = (await operate("listSessions")).body.items;
        return operate("openSession", { params: { id } });
      },
      { person: "eva", session: expect.any(String), by: "test" },
      { config: { people: { eva: { ids: ["webhook:eva"] } }, channels: { webhook: { enabled: true, secret: "s" } } } },
    ),
  ],
  "link.offered": [
    page("/link in the page", (gateway) => typed(gateway, "/link"), { person: "owner", by: "web:user" }),
  ],
  "link.refused": [
    page(
      "/link no after somebody sent the code",
      (gateway) => linked(gateway, undefined, "/link no"),
      { person: "owner", channel: "webhook", sender: "42", why: "declined" },
      LINKS,
    ),
    page(
      "five wrong codes",
      (gateway) => linked(gateway, "AAAAAAAA"),
      { channel: "webhook", sender: "42", why: "tries" },
      LINKS,
    ),
  ],
  "person.invited": [
    page(
      "on the page",
      (_gateway, operate) => operate("invitePerson", { params: { person: "eva" } }),
      { person: "eva", by: "test" },
      { config: { people: { eva: { name: "Eva" } } } },
    ),
    alone("by a command", async (cli) => void (await cli.run(["people", "add", "eva"])), { person: "eva", by: "user" }),
  ],
  "person.added": [
    alone("by a command", async (cli) => void (await cli.run(["people", "add", "eva"])), {
      person: "eva",
      role: "member",
      by: "user",
    }),
  ],
  "person.removed": [
    alone(
      "by a command",
      async (cli) => {
        await cli.run(["people", "add", "eva"]);
        await cli.run(["people", "remove", "eva"]);
      },
      { person: "eva", by: "user" },
    ),
  ],
  "person.linked": [
    alone(
      "by a command",
      async (cli) => {
        await cli.run(["people", "link", "owner", "webhook:42"]);
      },
      { person: "owner", channel: "webhook", sender: "42", by: "user" },
    ),
    page(
      "/link in the page, the code from the account, and yes",
      (gateway) => linked(gateway, undefined, "/link yes"),
      { person: "owner", channel: "webhook", sender: "42", by: "web:user" },
      LINKS,
    ),
  ],
  "person.supervised": [
    page(
      "somebody whose chats the owner reads writes first",
      async (gateway) => {
        await gateway.app.agent.bus.accept({
          key: "s1",
          origin: { channel: "webhook", chat: "kim" },
          from: { id: "kim", kind: "person" },
          parts: [{ type: "text", text: "/whoami" }],
          chat: "private",
        });
        await written(gateway, "person.supervised");
      },
      { person: "kim", on: true },
      { config: { ...LINKS.config, people: { kim: { ids: ["webhook:kim"], supervised: true } } } },
    ),
  ],
  "person.unlinked": [
    alone(
      "by a command",
      async (cli) => {
        await cli.run(["people", "link", "owner", "webhook:42"]);
        await cli.run(["people", "unlink", "owner", "webhook:42"]);
      },
      { person: "owner", channel: "webhook", sender: "42", by: "user" },
    ),
  ],
  "pairing.removed": [
    alone(
      "by a command",
      async (cli) => {
        await cli.run(["channels", "pair", await offer(cli.home)]);
        await cli.run(["channels", "unpair", "webhook", "42"]);
      },
      { ...PAIRED, by: "user" },
    ),
    beside(
      "by a command beside a gateway",
      async (run, { home }) => {
        await run("channels", "pair", await offer(home));
        await run("channels", "unpair", "webhook", "42");
      },
      { ...PAIRED, by: "user" },
    ),
  ],
  "plugin.suspended": [
    {
      how: "a plugin whose files have changed is called",
      act: async () => {
        const prepare = await approved({ name: "tea", code: oneTool("tea", "return 'ready'") });
        const act = async (gateway: TestGateway): Promise<void> => {
          writePlugin(gateway.home, { name: "tea", code: oneTool("tea", "return 'cold'") });
          gateway.model.replies(callsTool("plugin_tea_run", {}), says("done"));
          await say(gateway, "make tea");
        };
        return page("", act, {}, { prepare }).act();
      },
      says: { plugin: "tea", why: "changed" },
    },
  ],
  "quarantine.kept": [
    page("a command leaves what a shell obeys", leavesBehind, { path: ".envrc", why: ".envrc" }, CONFINED),
  ],
  "quarantine.removed": [
    page(
      "in the page",
      async (gateway, operate) => {
        const { id } = await leavesBehind(gateway);
        await operate("deleteQuarantined", { params: { id } });
      },
      { path: ".envrc", by: "test" },
      CONFINED,
    ),
    page(
      "/quarantine delete after it was shown",
      async (gateway) => {
        const { id } = await leavesBehind(gateway);
        await typed(gateway, `/quarantine ${id}`);
        await typed(gateway, `/quarantine delete ${id}`);
      },
      { path: ".envrc", by: "user" },
      CONFINED,
    ),
    beside(
      "by a command beside a gateway",
      async (run, gateway) => {
        const { id } = await leavesBehind(gateway);
        await run("quarantine", "delete", id, "--yes");
      },
      { path: ".envrc", by: "user" },
      CONFINED,
    ),
    page(
      "a person removes it",
      async (gateway) => {
        const { id } = await leavesBehind(gateway);
        await gateway.app.inside.quarantine.remove(id, "test");
      },
      { path: ".envrc", by: "test" },
      CONFINED,
    ),
  ],
  "quarantine.taken-back": [
    page(
      "in the page",
      async (gateway, operate) => {
        const { id, sha256 } = await leavesBehind(gateway);
        await operate("restoreQuarantined", { params: { id }, body: { sha256 } });
      },
      { path: ".envrc", by: "test", sha256: expect.any(String) },
      CONFINED,
    ),
    page(
      "/quarantine restore after it was shown",
      async (gateway) => {
        const { id } = await leavesBehind(gateway);
        await typed(gateway, `/quarantine ${id}`);
        await typed(gateway, `/quarantine restore ${id}`);
      },
      { path: ".envrc", by: "user", sha256: expect.any(String) },
      CONFINED,
    ),
    beside(
      "by a command beside a gateway",
      async (run, gateway) => {
        const { id, sha256 } = await leavesBehind(gateway);
        await run("quarantine", "restore", id, "--yes", "--sha256", sha256);
      },
      { path: ".envrc", by: "user", sha256: expect.any(String) },
      CONFINED,
    ),
    page(
      "a person takes it back",
      async (gateway) => {
        const { id, sha256 } = await leavesBehind(gateway);
        await gateway.app.inside.quarantine.takeBack(id, sha256, "test");
      },
      { path: ".envrc", by: "test" },
      CONFINED,
    ),
  ],
  "rule.removed": [
    page(
      "what was allowed for good is taken back",
      async (gateway, operate) => {
        await saved(gateway);
        const [{ id }] = (await operate("listPolicyRules")).body;
        await operate("deletePolicyRule", { params: { id } });
      },
      { rule: expect.any(String), by: "user", shown: expect.stringContaining("exec") },
    ),
  ],
  "rule.saved": [
    page("a yes for good", saved, { rule: expect.any(String), by: "user", shown: expect.stringContaining("exec") }),
  ],
  "sandbox.off": [
    page("a start without it", () => Promise.resolve(), { by: "config" }),
    page(
      "a change of the configuration",
      (gateway) => gateway.configure({ tools: { exec: { sandbox: "none" } } }),
      { by: "config" },
      { config: { tools: {} } },
    ),
  ],
  "sandbox.on": [
    page("a change of the configuration", (gateway) => gateway.configure({ tools: {} }), { by: "config" }),
  ],
  "share.ended": [page("/shared remove", shared, { person: "bob", reader: "eva" }, SHARING)],
  "share.granted": [page("a yes for always", shared, { person: "bob", reader: "eva" }, SHARING)],
  "schedule.held": [
    page(
      "the third crash within five minutes",
      () => Promise.resolve(),
      { by: "crashes" },
      {
        prepare: ({ home }) => {
          writeFileSync(join(home, "unclean-starts.json"), JSON.stringify({ unclean: [Date.now(), Date.now()] }));
          writeFileSync(join(home, "lock"), JSON.stringify({ pid: 2 ** 22 + 1, started: "1", boot: "" }));
        },
      },
    ),
  ],
  "schedule.released": [
    page(
      "in the page",
      (_, operate) => operate("resumeSchedules"),
      { by: "test" },
      { prepare: ({ home }) => writeFileSync(join(home, "unclean-starts.json"), HELD) },
    ),
    beside(
      "cron resume beside a gateway, which sees it",
      async (run, gateway) => {
        await run("cron", "resume");
        await written(gateway, "schedule.released");
      },
      { by: "file" },
      { prepare: ({ home }) => writeFileSync(join(home, "unclean-starts.json"), HELD) },
    ),
    alone(
      "cron resume",
      async (cli) => {
        mkdirSync(cli.home, { recursive: true });
        writeFileSync(join(cli.home, "unclean-starts.json"), HELD);
        await cli.run(["cron", "resume"]);
      },
      { by: "user" },
    ),
  ],
  "settings.changed": [
    page(
      "a setting",
      async (_, operate) => {
        const { hash } = (await operate("getSettings")).body;
        const body = { agent: { temperature: 0.5 } };
        await operate("patchSettings", { body, headers: { "if-match": `"${hash}"` } });
      },
      { keys: ["agent.temperature"], by: "test" },
    ),
  ],
  "skill.approved": [
    page(
      "a skill that came from elsewhere",
      async (gateway, operate) => {
        mkdirSync(join(gateway.workspace, "skills/tea"), { recursive: true });
        writeFileSync(
          join(gateway.workspace, "skills/tea/SKILL.md"),
          "---\nname: tea\ndescription: Tea.\n---\nBoil.\n",
        );
        const params = { name: "tea" };
        const { hash } = (await operate("getSkill", { params })).body;
        await operate("approveSkill", { params, body: { hash } });
      },
      { name: "tea", hash: expect.any(String) },
    ),
  ],
  "undo.finished": [page("a turn is taken back", undone, { restored: 1, failed: 0, undo: expect.any(String) })],
  "undo.started": [page("a turn is taken back", undone, { key: "web:one", force: false, undo: expect.any(String) })],
};

test("R265 SE10 every kind of the log has an action here, and none that is gone", () => {
  expect(Object.keys(KINDS).toSorted()).toEqual(["call", "turn", ...OWN_AUDIT_EVENTS, ...AUDIT_EVENTS].toSorted());
  for (const ways of Object.values(KINDS)) expect(ways).not.toEqual([]);
});

const ways = Object.entries(KINDS).flatMap(([kind, all]) => all.map((way) => ({ kind, ...way })));

test.each(ways)("R265 SE10 $kind: $how", async ({ kind, act, says: expected }) => {
  const home = await act();
  const audit = auditOf({ home });
  const found = (await audit.list({ limit: 1000 })).flatMap((entry): readonly unknown[] =>
    entry.kind === "event" ? (entry.name === kind ? [entry.data] : []) : entry.kind === kind ? [entry] : [],
  );
  expect(found).toMatchObject([expected]);
  expect(await audit.verify()).toMatchObject({ ok: kind !== "audit.broken" });
});
