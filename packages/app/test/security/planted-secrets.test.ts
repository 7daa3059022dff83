// Gate of the secrets (R282, R314, R322, R402): twelve and more are planted, everything that leaves is searched for them.
import { openFileDocs } from "@margay/core/internal";
import { randomBytes } from "node:crypto";
import { once } from "node:events";
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { callsTool, fails, says } from "@margay/core/testing";
import { thinks } from "@margay/core/internal/testing";
import { expect, onTestFinished, test } from "vitest";
import { COMMANDS } from "../../src/features.ts";
import { runCli } from "../../src/host/cli/run-cli.ts";
import { compose } from "../../src/compose/compose.ts";
import { SURFACE } from "../../src/compose/surface.ts";
import { openVault } from "../../src/config/secrets/vault.ts";
import { ROUTES } from "../../src/compose/routes.ts";
import { translator } from "../../src/texts/translate.ts";
import { postSigned, startReceiver } from "../channels/support.ts";
import { connect } from "../gateway/frames.ts";
import { startGateway, type TestGateway } from "../gateway/support.ts";
import { approveNew } from "../mcp/support.ts";
import { filesBelow, leaks, type Sink } from "./needles.ts";

const random = (bytes: number): string => randomBytes(bytes).toString("hex");

function planted(): Record<string, string> {
  return {
    // Known by value: the configuration names them.
    providerKey: `pk/${random(12)}+x=1`,
    providerHeader: `ph ${random(6)} ; ${random(6)}`,
    channelSecret: `cs-${random(16)}`,
    channelToken: `ct-${random(16)}`,
    hookSecret: `hs-${random(16)}`,
    mcpEnv: `me-${random(16)}`,
    mcpHeader: `mh-${random(16)}`,
    searchKey: `se-${random(16)}`,
    // Known to the gateway alone.
    password: `correct horse ${random(8)}`,
    gatewayToken: "",
    // Nobody's but those who paste, print and serve them.
    pasted: `ghp_${random(18)}`,
    printed: `sk-ant-api03-${random(20)}`,
    inPage: `xoxb-${random(10)}`,
    inErrorBody: `sk-proj-${random(20)}`,
    inUrl: `pw${random(10)}`,
    said: `AIza${randomBytes(26).toString("base64url").replaceAll(/[-_]/g, "0").slice(0, 35)}`,
  };
}

/** An MCP server that tells everybody what it was given. */
const TALKATIVE = `
import { createInterface } from "node:readline";
const send = (message) => process.stdout.write(JSON.stringify({ jsonrpc: "2.0", ...message }) + "\\n");
console.error("started with " + process.env.TOKEN);
for await (const line of createInterface({ input: process.stdin })) {
  const { id, method, params } = JSON.parse(line);
  if (method === "initialize") send({ id, result: { protocolVersion: params.protocolVersion, capabilities: { tools: {} }, serverInfo: { name: "talkative", version: "1" } } });
  else if (method === "tools/list") send({ id, result: { tools: [{ name: "env", description: "Key: " + process.env.TOKEN, inputSchema: { type: "object", properties: {} }, annotations: { readOnlyHint: true } }] } });
  else if (method === "tools/call") send({ id, result: { content: [{ type: "text", text: "env " + process.env.TOKEN + " " + Buffer.from(process.env.TOKEN).toString("base64") + " argv " + process.argv.join(" ") }] } });
  else if (id !== undefined) send({ id, result: {} });
}
`;

interface Place {
  readonly gateway: TestGateway;
  readonly secrets: Record<string, string>;
  readonly env: Readonly<Record<string, string>>;
  readonly receiver: Awaited<ReturnType<typeof startReceiver>>;
}

async function place(): Promise<Place> {
  const secrets = planted();
  const outside = mkdtempSync(join(tmpdir(), "margay-planted-"));
  onTestFinished(() => rmSync(outside, { recursive: true, force: true }));
  const program = join(outside, "talkative.mjs");
  writeFileSync(program, TALKATIVE);
  const page = createServer((_request, response) => {
    response.setHeader("content-type", "text/html");
    response.end(`<html><body><h1>Notes</h1><p>Our bot token is ${secrets["inPage"]}, keep it safe.</p></body></html>`);
  });
  page.listen(0, "127.0.0.1");
  await once(page, "listening");
  onTestFinished(() => void page.close());
  const authority = `127.0.0.1:${(page.address() as AddressInfo).port}`;
  const receiver = await startReceiver();
  onTestFinished(() => receiver[Symbol.asyncDispose]());
  const env = { PLANTED_KEY: secrets["providerKey"] ?? "", PLANTED_MCP: secrets["mcpEnv"] ?? "" };
  const gateway = await startGateway(
    { onTestFinished },
    {
      env,
      prepare: async ({ home, workspace }) => {
        mkdirSync(join(home, "secrets"), { mode: 0o700 });
        writeFileSync(join(home, "secrets", "search"), secrets["searchKey"] ?? "", { mode: 0o600 });
        const vault = openVault({ home, docs: openFileDocs(home), env: {}, t: translator("en") });
        await vault.set("HEADER", secrets["providerHeader"] ?? "", "file", 1);
        await vault.set("CHANNEL", secrets["channelSecret"] ?? "", "file", 1);
        await vault.set("HOOK", secrets["hookSecret"] ?? "", "file", 1);
        await vault.set("TOKEN", secrets["channelToken"] ?? "", "file", 1);
        await vault.set("MCP", secrets["mcpHeader"] ?? "", "file", 1);
        // A tool prints it in two halves that only the shell puts together.
        const key = secrets["printed"] ?? "";
        writeFileSync(join(workspace, "half-a"), key.slice(0, 14));
        writeFileSync(join(workspace, "half-b"), key.slice(14));
      },
      config: (modelUrl) => ({
        providers: {
          mock: {
            api: "openai-chat",
            baseUrl: `${modelUrl}/v1`,
            apiKey: "${PLANTED_KEY}",
            headers: { "X-Planted": "${vault:HEADER}" },
          },
        },
        channels: {
          webhook: {
            enabled: true,
            allowFrom: ["ada"],
            secret: "${vault:CHANNEL}",
            token: "${vault:TOKEN}",
            options: { url: receiver.url, port: 0 },
          },
        },
        gateway: { hooks: { ci: { scheme: "github", secret: "${vault:HOOK}" } } },
        mcpServers: {
          talkative: { command: process.execPath, args: [program], env: { TOKEN: "${PLANTED_MCP}" } },
          remote: { url: "http://127.0.0.1:9/mcp", headers: { "X-Key": "${vault:MCP}" } },
        },
        tools: {
          exec: { sandbox: "none" },
          webSearch: { engine: "brave", apiKey: "${file:secrets/search}" },
          webFetch: { allowHosts: [authority] },
        },
        policy: { rules: [{ tool: "*", action: "allow" }] },
      }),
    },
  );
  secrets["gatewayToken"] = gateway.token("owner");
  return { gateway, secrets, env: { ...env, PAGE: `http://${authority}/notes` }, receiver };
}

/** A command as another process of the same person runs it. */
async function command(argv: readonly string[], gateway: TestGateway, env: Place["env"]): Promise<Sink> {
  let bytes = "";
  const write = (text: string): void => void (bytes += text);
  await runCli({
    argv: [...argv],
    commands: COMMANDS,
    terminal: {
      input: (async function* nothing() {})(),
      inputIsTerminal: false,
      piped: "no",
      leaveInput: () => {},
      interactive: false,
      outputIsTerminal: false,
      color: false,
      columns: 200,
      out: write,
      err: write,
      ask: () => Promise.resolve(undefined),
    },
    environment: {
      env: { MARGAY_HOME: gateway.home, ...env },
      userHome: gateway.workspace,
      currentDirectory: gateway.workspace,
    },
    compose,
    surface: () => Promise.resolve(SURFACE),
    writeLog: (_places, line) => write(line),
    version: () => "1.2.3",
    signal: new AbortController().signal,
  });
  return { name: `margay ${argv.join(" ")}`, bytes };
}

/** Arguments of every process below this one. */
function argumentsOfChildren(): string {
  return readdirSync("/proc")
    .filter((name) => /^\d+$/.test(name))
    .flatMap((pid) => {
      try {
        return [readFileSync(`/proc/${pid}/cmdline`, "latin1").replaceAll("\0", " ")];
      } catch {
        return []; // ended meanwhile
      }
    })
    .join("\n");
}

/** Head and body; of a stream that does not end, what came until now. */
async function readSome(url: string, token: string): Promise<Sink> {
  const signal = AbortSignal.timeout(STREAM_MS);
  let bytes = "";
  try {
    const response = await fetch(url, { headers: { authorization: `Bearer ${token}` }, redirect: "manual", signal });
    bytes = `${response.status} ${JSON.stringify([...response.headers])}\n`;
    for await (const chunk of response.body ?? []) bytes += Buffer.from(chunk).toString("latin1");
  } catch (error) {
    if (!signal.aborted) throw error;
  }
  return { name: `GET ${new URL(url).pathname}`, bytes };
}

const STREAM_MS = 1_500;

/** Every GET of the API, with ids that exist where they are known. */
async function readEverything(gateway: TestGateway, known: Readonly<Record<string, string>>): Promise<readonly Sink[]> {
  const sinks: Sink[] = [];
  const token = gateway.token("owner");
  for (const { method, path } of ROUTES) {
    if (method !== "GET" || path.includes("ws")) continue;
    const filled = path.replaceAll(/\{([^}]+)\}/g, (_all, name: string) =>
      encodeURIComponent(known[`${path} ${name}`] ?? known[name] ?? "x"),
    );
    sinks.push(
      await readSome(`${gateway.url}${filled.startsWith("/!") ? filled.slice(2) : `/api/v1${filled}`}`, token),
    );
  }
  return sinks;
}

test("R282 R314 R322 R402 SE6 planted secrets are in no journal, transcript, audit, log, answer, frame, stream, export, prompt, delivery or argument", async () => {
  const { gateway, secrets, env, receiver } = await place();
  const { model, app } = gateway;
  const sinks: Sink[] = [];
  const add = (name: string, bytes: unknown): void =>
    void sinks.push({ name, bytes: typeof bytes === "string" ? bytes : JSON.stringify(bytes) });
  await approveNew(gateway.app);
  const s = (name: string): string => secrets[name] ?? "";

  add(
    "PUT /auth/password",
    (await gateway.api("/auth/password", { method: "PUT", body: { password: s("password") } })).body,
  );

  // A page in a browser: a pasted key, a command that prints one and its environment, a server that tells what it was given.
  const tab = await connect(gateway);
  for (const topic of ["sessions", "mcp", "approvals", "usage", "channels"])
    await tab.ask({ type: "subscribe", topic });
  const key = s("providerKey");
  model.replies(
    callsTool("exec", {
      command: "cat half-a half-b; echo; env; cat /proc/self/cmdline",
    }),
    callsTool("mcp_talkative_env", {}),
    thinks(
      `The key is ${s("said")}.`,
      says(`Here: ${key} and ${s("said")}.`, {
        chunks: [
          "He",
          "re: ",
          key.slice(0, 5),
          key.slice(5, 20),
          key.slice(20),
          " and ",
          s("said").slice(0, 3),
          s("said").slice(3),
          ".",
        ],
      }),
    ),
  );
  const session = String((await gateway.api("/sessions", { method: "POST", body: {} })).body.id);
  await tab.ask({ type: "subscribe", session });
  await tab.ask({
    type: "message.send",
    session,
    key: "k1",
    parts: [
      {
        type: "text",
        text: `My token is ${s("pasted")}, the base is postgres://ada:${s("inUrl")}@db.example/x. 密码：${s("password")}`,
      },
    ],
    mode: "queue",
  });
  await app.agent.idle();
  const results = model.requests.at(-1)?.toolResults.map(({ text }) => text) ?? [];
  expect(results).toEqual([expect.stringMatching(/^\[redacted\]\n/), expect.stringMatching(/env \[redacted\] /)]);

  // A stream of /v1, a page that holds a key, a vendor that quotes one.
  model.replies(callsTool("web_fetch", { url: env["PAGE"] }), says(`It says ${s("inPage")}`, { chunks: 9 }));
  const stream = await fetch(`${gateway.url}/v1/chat/completions`, {
    method: "POST",
    headers: { authorization: `Bearer ${s("gatewayToken")}`, "content-type": "application/json" },
    body: JSON.stringify({
      model: "margay",
      stream: true,
      messages: [{ role: "user", content: `see ${env["PAGE"]}` }],
    }),
    signal: AbortSignal.timeout(20_000),
  });
  add("SSE /v1/chat/completions", await stream.text());
  const refused = {
    error: {
      message: `Incorrect API key provided: ${s("inErrorBody")}. Yours is ${key}.`,
      type: "invalid_request_error",
    },
  };
  model.replies(fails(401, refused), fails(401, refused), fails(401, refused));
  await app.agent.send("web:errors", "hello", { origin: { channel: "web", chat: "errors" } }).finished.catch(() => {});
  add("POST /providers/test", (await gateway.api("/providers/test", { method: "POST", body: { id: "mock" } })).body);

  // What goes out to another system.
  await expect.poll(() => gateway.logs.some((line) => line["event"] === "channel.listening")).toBe(true);
  const port = Number(gateway.logs.find((line) => line["event"] === "channel.listening")?.["port"]);
  model.replies(
    says(
      `Your key is ${s("searchKey")}, the hook ${s("hookSecret")}, ${Buffer.from(s("channelToken")).toString("base64")}`,
    ),
  );
  await postSigned(
    port,
    { id: "m1", chat: "ops", sender: "ada", text: "which keys are there?" },
    { secret: s("channelSecret") },
  );
  await receiver.took(1);
  for (const { raw, headers } of receiver.received) add("outbound delivery", raw + JSON.stringify(headers));
  await app.agent.idle();

  // Errors: what is asked wrongly with a secret in it.
  add(
    "POST /hooks/ci",
    (
      await gateway.api("/!/hooks/ci", {
        method: "POST",
        raw: "{}",
        headers: { "x-hub-signature-256": "sha256=00", "x-github-delivery": "d" },
      })
    ).body,
  );
  add("GET with a wrong token", (await gateway.api("/sessions", { token: `${s("gatewayToken")}x` })).body);
  add(
    "POST /auth/login",
    (await gateway.api("/auth/login", { method: "POST", body: { password: `${s("password")}!` }, token: null })).body,
  );

  add("arguments of processes", argumentsOfChildren());
  const known = {
    id: session,
    sha256: "0".repeat(64),
    name: "talkative",
    "/hooks/{name} name": "ci",
    "/memory/files/{name} name": "MEMORY.md",
  };
  sinks.push(...(await readEverything(gateway, known)));
  for (const body of [
    { sections: ["settings", "memory", "schedule"], secrets: "none" },
    { sections: ["settings"], secrets: "encrypted", passphrase: "a long passphrase 1" },
  ])
    add(`POST /config/export ${body.secrets}`, (await gateway.api("/config/export", { method: "POST", body })).body);
  for (const argv of [
    ["config", "show"],
    ["config", "show", "--json"],
    ["secrets", "list"],
    ["doctor"],
    ["status"],
    ["sessions", "list"],
    ["audit", "list"],
    ["audit", "list", "--json"],
    ["usage"],
    ["mcp", "list"],
    ["channels", "list"],
    ["token", "list"],
    ["config", "get", "providers.mock.apiKey"],
    ["config", "set", "providers.mock.headers", "7"],
    ["explain", session],
  ])
    sinks.push(
      await command(argv, gateway, { PLANTED_KEY: env["PLANTED_KEY"] ?? "", PLANTED_MCP: env["PLANTED_MCP"] ?? "" }),
    );
  add("frames of the socket", tab.frames.map((frame: unknown) => JSON.stringify(frame)).join("\n"));
  // A reader puts the pieces of a stream together again.
  const live = tab.frames.flatMap((frame): { type: string; text: string }[] =>
    frame.type === "live" ? frame.events : [],
  );
  const pieces = (type: string): string => live.flatMap((event) => (event.type === type ? [event.text] : [])).join("");
  expect(pieces("text.delta")).toContain("Here: [redacted] and [redacted].");
  for (const type of ["text.delta", "thinking.delta", "tool-call.delta", "tool.progress"])
    add(`pieces of ${type}`, pieces(type));
  // The key itself goes to its provider as a header; it is in no prompt.
  for (const { raw } of model.requests as readonly { readonly raw?: string }[]) add("prompt", raw ?? "");
  add(
    "prompts",
    model.requests.map(({ body }) => body),
  );
  add("log", gateway.logs);
  await gateway.stop();
  sinks.push(...filesBelow(gateway.home, (path) => path === "secrets/search" || path.startsWith("exec/")));
  // Where a command writes itself, for a process that continues after a crash; tidied away, and opened to no tool.
  const { printed: _printed, ...others } = secrets;
  expect(
    leaks(
      filesBelow(join(gateway.home, "exec"), () => false),
      others,
    ),
  ).toEqual([]);
  sinks.push(...filesBelow(gateway.workspace, (path) => path.startsWith("half-")));

  expect(Object.keys(secrets).length).toBeGreaterThanOrEqual(12);
  expect(Object.values(secrets).every((secret) => secret.length >= 12)).toBe(true);
  expect(sinks.length).toBeGreaterThan(60);
  expect(leaks(sinks, secrets)).toEqual([]);

  // The search finds what is there: each secret, in each form, in a sink of its own.
  for (const [name, secret] of Object.entries(secrets)) {
    const forms = [
      secret,
      Buffer.from(`x${secret}`).toString("base64"),
      Buffer.from(secret).toString("hex"),
      encodeURIComponent(secret),
    ];
    for (const form of forms)
      expect(leaks([{ name: "scratch", bytes: `a ${form} b` }], { [name]: secret })).not.toEqual([]);
  }
});
