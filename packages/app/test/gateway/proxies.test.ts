// Caddy and nginx as Debian has them, with the blocks of docs/reverse-proxy.md as a person copies them: ports, and where a certificate
// lies, are the test's. The client is another address of this machine, so that the proxy has somebody to speak of.
import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { request as httpsRequest } from "node:https";
import { connect as connectHttp2 } from "node:http2";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { connect as connectTls } from "node:tls";
import type { JsonObject } from "@margay/core";
import { stalls } from "@margay/core/internal/testing";
import { says } from "@margay/core/testing";
import { expect, test, type TestContext } from "vitest";
import { WebSocket } from "ws";
import { freePort } from "../free-port.ts";
import { selfSigned } from "./certificate.ts";
import { startGateway, type TestGateway } from "./support.ts";

const NAME = "margay.example";
const CLIENT = "127.0.0.77";
const PAGES = ["reverse-proxy.md", "reverse-proxy.zh-CN.md"];

/** The first block of that language on the page. */
function block(language: string, page = "reverse-proxy.md"): string {
  const text = readFileSync(join(import.meta.dirname, "../../../../docs", page), "utf8");
  const found = new RegExp(`^\`\`\`${language}\\n([\\s\\S]*?)^\`\`\`$`, "m").exec(text)?.[1];
  if (found === undefined) throw new Error(`${page} has no block of ${language}.`);
  return found;
}

function gatewayBlock(): JsonObject {
  return (JSON.parse(block("json")) as { gateway: JsonObject }).gateway;
}

interface Ports {
  readonly gateway: number;
  readonly https: number;
  readonly http: number;
  readonly folder: string;
}

/** A line that is not there cannot be replaced: the page would have changed under the test. */
function replaced(text: string, changes: readonly (readonly [string, string])[]): string {
  return changes.reduce((before, [from, to]) => {
    const after = before.replace(from, to);
    if (after === before) throw new Error(`The page has no ${from} any more.`);
    return after;
  }, text);
}

const PROXIES = {
  caddy: ({ gateway, https, http, folder }: Ports) => {
    // Names that no authority signs for get a certificate of Caddy's own.
    const test = `{\n\tadmin off\n\tlocal_certs\n\tskip_install_trust\n\thttp_port ${http}\n\thttps_port ${https}\n\tstorage file_system ${folder}/caddy\n}\n`;
    const file = join(folder, "Caddyfile");
    writeFileSync(file, test + replaced(block("caddyfile"), [["127.0.0.1:18790", `127.0.0.1:${gateway}`]]));
    return ["caddy", "run", "--adapter", "caddyfile", "--config", file];
  },
  nginx: ({ gateway, https, http, folder }: Ports) => {
    const { cert, key } = selfSigned(NAME);
    writeFileSync(join(folder, "cert.pem"), cert);
    writeFileSync(join(folder, "key.pem"), key, { mode: 0o600 });
    const page = replaced(block("nginx"), [
      ["127.0.0.1:18790", `127.0.0.1:${gateway}`],
      ["listen 443 ", `listen 127.0.0.1:${https} `],
      ["listen 80;", `listen 127.0.0.1:${http};`],
      ["/etc/letsencrypt/live/margay.example/fullchain.pem", join(folder, "cert.pem")],
      ["/etc/letsencrypt/live/margay.example/privkey.pem", join(folder, "key.pem")],
    ]);
    const paths = ["client_body", "proxy", "fastcgi", "uwsgi", "scgi"].map(
      (one) => `${one}_temp_path ${folder}/${one};`,
    );
    const user = process.getuid?.() === 0 ? "user root;\n" : "";
    const file = join(folder, "nginx.conf");
    writeFileSync(
      file,
      `${user}worker_processes 1;\npid ${folder}/nginx.pid;\nerror_log stderr;\ndaemon off;\nevents {}\nhttp {\naccess_log off;\n${paths.join("\n")}\n${page}}\n`,
    );
    return ["nginx", "-e", "stderr", "-p", folder, "-c", file];
  },
} as const;

interface Answer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  readonly text: string;
}

interface Place {
  readonly gateway: TestGateway;
  readonly https: number;
  readonly http: number;
  ask(
    method: string,
    path: string,
    options?: { readonly headers?: Readonly<Record<string, string>>; readonly body?: string | Uint8Array },
  ): Promise<Answer>;
}

async function behind(kind: keyof typeof PROXIES, t: TestContext): Promise<Place> {
  const folder = mkdtempSync(join(tmpdir(), `margay-${kind}-`));
  const gateway = await startGateway(t, { config: { gateway: gatewayBlock() } });
  const [https, http] = [await freePort(), await freePort()];
  const [program = "", ...args] = PROXIES[kind]({ gateway: gateway.port, https, http, folder });
  mkdirSync(join(folder, "home"));
  const env = { PATH: `${process.env["PATH"] ?? ""}:/usr/sbin`, HOME: join(folder, "home") };
  const child = spawn(program, args, { env, stdio: ["ignore", "ignore", "pipe"] });
  let said = "";
  child.stderr.on("data", (part) => (said += String(part)));
  const ended = new Promise<void>((resolve) => void child.once("close", () => resolve()));
  t.onTestFinished(async () => {
    child.kill("SIGTERM");
    await ended;
    rmSync(folder, { recursive: true, force: true });
  });
  const gone = ended.then(() => said);
  await expect.poll(() => Promise.race([handshake(https), gone]), { interval: 50 }).toBe("h2");
  return { gateway, https, http, ask: (method, path, options) => ask(https, method, path, options) };
}

/** @returns the protocol that was agreed on. */
function handshake(port: number): Promise<string | false | null> {
  return new Promise((resolve) => {
    const options = { host: "127.0.0.1", port, servername: NAME, ALPNProtocols: ["h2", "http/1.1"] };
    const socket = connectTls({ ...options, rejectUnauthorized: false }, () => {
      resolve(socket.alpnProtocol);
      socket.destroy();
    });
    socket.on("error", () => resolve(null)); // it does not listen yet
  });
}

/** As a browser sends it to https://margay.example, from an address of its own. */
function ask(port: number, method: string, path: string, { headers = {}, body }: Parameters<Place["ask"]>[2] = {}) {
  return new Promise<Answer>((resolve, reject) => {
    const request = httpsRequest(
      {
        ...{ host: "127.0.0.1", port, servername: NAME, localAddress: CLIENT, rejectUnauthorized: false },
        ...{ method, path, agent: false },
        headers: {
          host: NAME,
          ...(typeof body === "string" && { "content-type": "application/json" }),
          ...(body !== undefined && { "content-length": Buffer.byteLength(body) }),
          ...headers,
        },
      },
      (response) => {
        let text = "";
        response.setEncoding("utf8").on("data", (part: string) => (text += part));
        response.on("end", () => resolve({ status: response.statusCode ?? 0, headers: response.headers, text }));
      },
    );
    request.on("error", reject);
    request.end(body);
  });
}

const ORIGIN = { origin: `https://${NAME}`, "sec-fetch-site": "same-origin" };

for (const kind of ["caddy", "nginx"] as const) {
  test(`${kind}: a login is one of the public address, with a secure cookie, and no other site may use it`, async (t) => {
    const { gateway, ask, http } = await behind(kind, t);
    const { code } = gateway.gateway.auth.codes.mint("login");
    const exchange = (headers: Readonly<Record<string, string>>): Promise<Answer> =>
      ask("POST", "/api/v1/auth/exchange", { headers, body: JSON.stringify({ code }) });
    expect((await exchange({ origin: "https://evil.example" })).text).toContain("origin.refused");
    const made = await exchange({ ...ORIGIN, "x-forwarded-for": "203.0.113.9" });
    expect(made.status).toBe(200);
    const [cookie = ""] = [made.headers["set-cookie"] ?? []].flat();
    expect(cookie).toMatch(/^__Host-.*; Secure/);
    expect(made.headers["strict-transport-security"]).toBeDefined();
    const { key } = JSON.parse(made.text) as { key: string };
    const own = { ...ORIGIN, cookie: cookie.split(";")[0] ?? "", "margay-key": key };
    expect((await ask("GET", "/api/v1/sessions", { headers: own })).status).toBe(200);
    expect((await ask("GET", "/api/v1/sessions", { headers: { ...own, "margay-key": "x" } })).status).toBe(401);
    // Who logged in is the client, not the proxy and not who the client says it is.
    const { body } = await gateway.api("/audit?limit=50");
    expect(JSON.stringify(body)).toContain(CLIENT);
    expect(JSON.stringify(body)).not.toMatch(/203\.0\.113\.9/);
    // Whoever types the name without https is led there.
    const plain = await fetch(`http://127.0.0.1:${http}/x`, { headers: { host: NAME }, redirect: "manual" });
    expect([301, 308]).toContain(plain.status);
  });

  test(`${kind}: over HTTP/2 an answer is seen while it is written`, async (t) => {
    const { gateway, https } = await behind(kind, t);
    const held = stalls({ after: "Otters hold hands while they sleep. ".repeat(20), rest: says("So do we.") });
    gateway.model.replies(held);
    const client = connectHttp2(`https://${NAME}`, {
      createConnection: () =>
        connectTls({
          host: "127.0.0.1",
          port: https,
          servername: NAME,
          ALPNProtocols: ["h2"],
          rejectUnauthorized: false,
        }),
    });
    t.onTestFinished(() => client.destroy());
    const stream = client.request({
      ":method": "POST",
      ":path": "/v1/chat/completions",
      authorization: `Bearer ${gateway.token("chat")}`,
      "content-type": "application/json",
    });
    let seen = "";
    stream.setEncoding("utf8").on("data", (part: string) => (seen += part));
    stream.end(JSON.stringify({ model: "margay", messages: [{ role: "user", content: "otters?" }], stream: true }));
    await expect.poll(() => seen).toContain("Otters hold"); // the model says no more before that was seen
    held.release();
    await once(stream, "end");
    expect(seen).toContain("[DONE]");
  });

  test(`${kind}: a WebSocket follows a conversation`, async (t) => {
    const { gateway, https } = await behind(kind, t);
    gateway.model.replies(says("hello"));
    const socket = new WebSocket(`wss://${NAME}/ws`, ["margay.v1"], {
      headers: { authorization: `Bearer ${gateway.token("owner")}`, origin: `https://${NAME}` },
      createConnection: () =>
        connectTls({ host: "127.0.0.1", port: https, servername: NAME, rejectUnauthorized: false }),
    });
    t.onTestFinished(() => socket.terminate());
    const [first] = (await once(socket, "message")) as [Buffer];
    expect(JSON.parse(first.toString("utf8"))).toMatchObject({ type: "welcome" });
  });

  test(`${kind}: uploads of the whole size come through, and one byte more is refused by margay itself`, async (t) => {
    const { gateway, ask } = await behind(kind, t);
    const headers = { authorization: `Bearer ${gateway.token("owner")}`, "content-type": "application/octet-stream" };
    const upload = (bytes: number): Promise<Answer> =>
      ask("POST", "/api/v1/uploads?name=big.bin", { headers, body: Buffer.alloc(bytes, 1) });
    const whole = await upload(26_214_400);
    expect([whole.status, JSON.parse(whole.text)]).toMatchObject([201, { bytes: 26_214_400 }]);
    const over = await upload(26_214_401);
    expect([over.status, over.text]).toEqual([413, expect.stringContaining("request.too-large")]);
  });

  test(`${kind}: health and readiness are asked through it`, async (t) => {
    const { ask } = await behind(kind, t);
    expect(await ask("GET", "/health")).toMatchObject({ status: 200, text: '{"status":"ok"}' });
    await expect.poll(() => ask("GET", "/ready")).toMatchObject({ status: 200, text: '{"ready":true}' });
  });
}

test("tailscale: what `tailscale serve` sends logs in whom the block of the page names, and nobody else", async (t) => {
  const page = readFileSync(join(import.meta.dirname, "../../../../docs/reverse-proxy.md"), "utf8");
  const blocks = [...page.matchAll(/^```json\n([\s\S]*?)^```$/gm)].map(
    ([, text = ""]) => JSON.parse(text) as JsonObject,
  );
  const gateway = await startGateway(t, { config: blocks.at(-1) ?? {} });
  // @see https://tailscale.com/kb/1312/serve#identity-headers
  const sent = (login: string): Readonly<Record<string, string>> => ({
    host: "machine.tailnet.ts.net",
    "x-forwarded-for": "100.64.0.7",
    "x-forwarded-host": "machine.tailnet.ts.net",
    "x-forwarded-proto": "https",
    ...(login !== "" && {
      "tailscale-user-login": login,
      "tailscale-user-name": "Me",
      "tailscale-user-profile-pic": "",
    }),
  });
  const status = async (headers: Readonly<Record<string, string>>): Promise<number> => {
    const { sendRaw, requestText } = await import("./raw.ts");
    return (await sendRaw(gateway.port, requestText(gateway.port, "GET", "/api/v1/sessions", headers))).status ?? 0;
  };
  expect(await status(sent("me@example.com"))).toBe(200);
  expect(await status(sent("eve@example.com"))).toBe(401);
  expect(await status(sent(""))).toBe(401); // tailscale funnel: nobody it knows
  expect(await status({ ...sent("me@example.com"), host: "other.tailnet.ts.net" })).toBe(403);
});

test("both pages have the same blocks", () => {
  for (const language of ["json", "caddyfile", "nginx", "sh"])
    expect(new Set(PAGES.map((page) => block(language, page).replaceAll(/#.*/g, ""))).size).toBe(1);
});
