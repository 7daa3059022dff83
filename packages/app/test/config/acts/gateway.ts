// Keys of the HTTP server.
import { once } from "node:events";
import { writeFileSync } from "node:fs";
import { connect as connectRaw } from "node:net";
import { join } from "node:path";
import type { Json, JsonObject } from "@margay/core";
import { callsTool, says } from "@margay/core/testing";
import { stalls, thinks } from "@margay/core/internal/testing";
import { browserOf, logIn } from "../../gateway/browser.ts";
import { selfSigned } from "../../gateway/certificate.ts";
import { requestText, sendRaw } from "../../gateway/raw.ts";
import { happens, type Probe, type Probes, type World } from "./probe.ts";

const TOKEN = "b3f1c0d29a8e7456b3f1c0d29a8e7456b3f1c0d29a8e7456b3f1c0d29a8e7456";
const PASSWORD = "four unrelated words here";
const ada: JsonObject = { header: "Remote-User", users: ["ada"] };

/** The status of a request with these headers, as written. */
async function status({ port, token }: World, headers: Readonly<Record<string, string>>, path = "/api/v1/auth/state") {
  const own = { authorization: `Bearer ${token("owner")}` };
  return (await sendRaw(port, requestText(port, "GET", path, { ...own, ...headers }))).status;
}

/** The last of so many answers. */
async function last(count: number, ask: () => Promise<{ readonly status: number }>): Promise<number> {
  let found = 0;
  for (let asked = 0; asked < count; asked += 1) found = (await ask()).status;
  return found;
}

const chat = (world: World, body: JsonObject = {}, token = world.token("chat")) =>
  world.api("/!/v1/chat/completions", {
    method: "POST",
    body: { model: "margay", messages: [{ role: "user", content: "hi" }], ...body },
    token,
  });

/** Whether a second socket is let in. */
const second =
  (same: boolean): Probe["see"] =>
  async ({ ws, token }) => {
    const first = token("read");
    await ws("/ws", { token: first });
    return ws("/ws", { token: same ? first : token("read") }).then(
      () => true,
      () => false,
    );
  };

/** Whether a login still holds after two minutes. */
const login: Probe["see"] = async (world) => {
  const browser = await logIn(world);
  await world.clock.advance(120_000);
  return (await browser.api("/auth/browsers")).status;
};

const long: Json = "x".repeat(3000);

export const GATEWAY: Probes = {
  "gateway.host": {
    values: ["127.0.0.1", "127.0.0.2"],
    see: ({ url }) => new URL(url).hostname,
    saw: ["127.0.0.1", "127.0.0.2"],
  },
  "gateway.port": {
    values: [0, ({ freePort }) => freePort],
    see: ({ port, place }) => port === place.freePort,
    saw: [false, true],
  },
  "gateway.publicUrl": {
    values: [null, "https://me.example"],
    see: (world) => status(world, { host: "me.example" }),
    saw: [403, 200],
  },
  "gateway.seedView": {
    values: [true, false],
    see: ({ ws }) =>
      ws("/ws/chat").then(
        () => true,
        () => false,
      ),
    saw: [true, false],
  },
  "gateway.allowedHosts": {
    values: [[], ["box.lan:8080"]],
    see: (world) => status(world, { host: "box.lan:8080" }),
    saw: [403, 200],
  },
  "gateway.allowedOrigins": {
    values: [[], ["https://box.lan:8080"]],
    config: { gateway: { allowedHosts: ["box.lan:8080"] } },
    see: (world) => status(world, { host: "box.lan:8080", origin: "https://box.lan:8080" }),
    saw: [403, 200],
  },
  "gateway.tls": {
    values: [null, { cert: "cert.pem", key: "key.pem" }],
    place: {
      prepare: ({ home }) => {
        const { cert, key } = selfSigned("probe");
        writeFileSync(join(home, "cert.pem"), cert);
        writeFileSync(join(home, "key.pem"), key, { mode: 0o600 });
      },
    },
    see: ({ url }) => new URL(url).protocol,
    saw: ["http:", "https:"],
  },
  "gateway.allowPlainHttp": {
    values: [false, true],
    config: { gateway: { host: "0.0.0.0", token: TOKEN } },
    see: () => "started",
    saw: ["refused: config.invalid", "started"],
  },
  "gateway.token": {
    values: [undefined, TOKEN],
    see: async ({ api }) => (await api("/auth/tokens", { token: TOKEN })).status,
    saw: [401, 200],
  },
  "gateway.trustedProxies": {
    values: [[], ["127.0.0.1/32"]],
    see: async (world) => {
      const { code } = world.gateway.auth.codes.mint("login");
      const init = { method: "POST", body: { code }, token: null, headers: { "x-forwarded-for": "203.0.113.9" } };
      const { headers, body } = await world.api("/auth/exchange", init);
      const browser = browserOf(world, headers.get("set-cookie") ?? "", String(body.key));
      return (await browser.api("/auth/browsers")).body.items[0].address;
    },
    saw: ["127.0.0.1", "203.0.113.9"],
  },
  "gateway.proxyAuth": {
    values: [null, { ...ada, peers: ["127.0.0.1/32"] }],
    see: async ({ port }) =>
      (await sendRaw(port, requestText(port, "GET", "/api/v1/auth/tokens", { "remote-user": "ada" }))).status,
    saw: [401, 200],
  },
  "gateway.auth.idleMs": { values: [60_000, 600_000], stopped: true, see: login, saw: [401, 200] },
  "gateway.auth.maxMs": { values: [60_000, 600_000], stopped: true, see: login, saw: [401, 200] },
  "gateway.auth.passwordFile": {
    values: [null, "password.txt"],
    place: { prepare: ({ home }) => writeFileSync(join(home, "password.txt"), `${PASSWORD}\n`, { mode: 0o600 }) },
    see: async ({ api }) =>
      (await api("/auth/login", { method: "POST", body: { password: PASSWORD }, token: null })).status,
    saw: [401, 200],
  },
  "gateway.shutdownMs": {
    values: [0, 15_000],
    stopped: true, // work in hand has its time by the clock: nobody moves it
    see: async (world) => {
      const held = stalls({ rest: says("done") });
      world.model.replies(held);
      const asked = chat(world).catch(() => undefined); // cut, or answered
      await world.model.received(1);
      const stopped = world.stop();
      const cut = await happens(asked);
      held.release();
      await Promise.all([stopped, asked]);
      return cut;
    },
    saw: [true, false],
  },
  "gateway.limits.bodyBytes": {
    values: [1024, 100_000],
    see: async ({ api }) => {
      const message = { parts: [{ type: "text", text: long }] };
      return (await api("/sessions", { method: "POST", body: { message } })).status;
    },
    saw: [413, 201],
  },
  "gateway.limits.apiBodyBytes": {
    values: [1024, 100_000],
    see: async (world) => (await chat(world, { messages: [{ role: "user", content: long }] })).status,
    saw: [413, 200],
  },
  "gateway.limits.uploadBytes": {
    values: [1024, 100_000],
    see: async ({ api }) => {
      const headers = { "content-type": "text/plain" };
      return (await api("/uploads?name=long.txt", { method: "POST", raw: "x".repeat(3000), headers })).status;
    },
    saw: [413, 201],
  },
  "gateway.limits.connections": {
    values: [2, 512],
    see: async ({ port }) => {
      const open = async () => {
        const socket = connectRaw(port, "127.0.0.1").on("error", () => {});
        await once(socket, "connect");
        return socket;
      };
      const first = await open();
      const others = [await open(), await open(), await open()];
      const madeRoom = await happens(once(first, "close"));
      for (const socket of [first, ...others]) socket.destroy();
      return madeRoom;
    },
    saw: [true, false],
  },
  "gateway.limits.sockets": { values: [1, 64], see: second(false), saw: [false, true] },
  "gateway.limits.socketsPerCredential": { values: [1, 16], see: second(true), saw: [false, true] },
  "gateway.limits.streams": {
    values: [1, 64],
    see: async ({ api, url, token }) => {
      const { body } = await api("/sessions", { method: "POST", body: { title: "a" } });
      const headers = { authorization: `Bearer ${token("read")}` };
      const open = () => fetch(`${url}/api/v1/sessions/${body.id}/events`, { headers });
      const [first, next] = [await open(), await open()];
      await Promise.all([first.body?.cancel(), next.body?.cancel()]);
      return next.status;
    },
    saw: [429, 200],
  },
  "gateway.limits.requestsPerMinute": {
    values: [3, 600],
    see: ({ api }) => last(5, () => api("/sessions")),
    saw: [429, 200],
  },
  "gateway.limits.sendsPerMinute": {
    values: [1, 60],
    see: (world) => {
      const token = world.token("chat");
      return last(3, () => chat(world, {}, token));
    },
    saw: [429, 200],
  },
  "gateway.limits.anonymousPerMinute": {
    values: [2, 60],
    see: ({ api }) => last(5, () => api("/auth/tokens", { token: null })),
    saw: [429, 401],
  },
  "gateway.api.userSession": {
    values: ["match", "continue"],
    see: async (world) => {
      const token = world.token("chat");
      const first = await chat(world, { user: "ada" }, token);
      const next = await chat(world, { user: "ada" }, token);
      return first.headers.get("margay-session") === next.headers.get("margay-session");
    },
    saw: [false, true],
  },
  "gateway.api.ephemeralHours": {
    values: [1, 100],
    stopped: true,
    see: async (world) => {
      const session = (await chat(world)).headers.get("margay-session") ?? "";
      await world.clock.advance(3 * 3_600_000);
      await chat(world); // whoever comes next finds what is over
      const known = async () =>
        (await world.app.agent.sessions.list()).some(({ key }) => key.includes(session.replace(/^auto-/, "")));
      return known();
    },
    saw: [false, true],
  },
  "gateway.api.clientTools": {
    values: [true, false],
    see: async (world) => {
      const parameters = { type: "object", properties: {} };
      return (await chat(world, { tools: [{ type: "function", function: { name: "weather", parameters } }] })).status;
    },
    saw: [200, 400],
  },
  "gateway.api.text": {
    values: ["all", "final"],
    see: async (world) => {
      world.model.replies(callsTool("list_dir", { path: "." }, { text: "Looking." }), says("Empty."));
      return ((await chat(world)).body.choices[0].message.content as string).includes("Looking.");
    },
    saw: [true, false],
  },
  "gateway.api.reasoning": {
    values: [false, true],
    see: async (world) => {
      world.model.replies(thinks("Let me think.", says("Done.")));
      return (await chat(world)).body.choices[0].message.reasoning_content;
    },
    saw: [undefined, "Let me think."],
  },
  "gateway.api.corsOrigins": {
    values: [[], ["https://app.example"]],
    see: async ({ port }) => {
      const origin = "https://app.example";
      const asks = { origin, "access-control-request-method": "POST" };
      return (await sendRaw(port, requestText(port, "OPTIONS", "/v1/chat/completions", asks))).headers[
        "access-control-allow-origin"
      ];
    },
    saw: [undefined, "https://app.example"],
  },
};
