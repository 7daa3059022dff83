// Logging a channel in: over HTTP as the page does it, and by the command, with and without a gateway. The platform is a lamp.
import { cpSync, existsSync, statSync } from "node:fs";
import { join } from "node:path";
import { startMockModel } from "@margay/core/testing";
import type { JsonObject } from "@margay/core";
import { expect, onTestFinished, test } from "vitest";
import { margay, modelConfig, type Margay } from "../cli/harness.ts";
import { startGateway, type GatewayPlaceOptions, type TestGateway } from "../gateway/support.ts";
import { expectQr, installLamp, startLamp, TOKEN, type Lamp } from "./lamp.ts";
import { holding, login } from "./log-in.ts";

const QR = { type: "qr", data: "https://lamp.example/scan?code=17", expiresAt: 4_000_000_000_000 } as const;
const DONE = { type: "done", account: "the lamp", settings: { token: TOKEN, room: "kitchen" } } as const;
const FIRST = { kind: "lamp" };

async function lampOf(): Promise<Lamp> {
  const lamp = await startLamp();
  onTestFinished(() => lamp[Symbol.asyncDispose]());
  return lamp;
}

async function scene(options: GatewayPlaceOptions = {}): Promise<{ lamp: Lamp; gateway: TestGateway }> {
  const lamp = await lampOf();
  const prepare = ({ home }: { readonly home: string }): Promise<void> => installLamp(home);
  return { lamp, gateway: await startGateway({ onTestFinished }, { prepare, ...options }) };
}

async function stateOf(gateway: TestGateway, id: string): Promise<unknown> {
  const { body } = await gateway.api(`/channels/${id}`);
  return body.state ?? body.code;
}

test("CH96 CH172 a channel that is not there is logged in: the code is drawn, what was scanned is said, and it is up, its secret in a file of its own and nowhere else", async () => {
  const { lamp, gateway } = await scene();
  const reading = await login(gateway, "home", { ...FIRST, baseUrl: lamp.url }, { scope: "admin" });
  lamp.tell(QR);
  const [qr] = await reading.events(1);
  expect(qr).toMatchObject(QR);
  expectQr(rowsOf(String(qr?.["path"]), Number(qr?.["size"])), 4);
  lamp.tell({ type: "scanned" });
  lamp.tell(DONE);
  const events = await reading.events(3);
  expect(events.slice(1)).toEqual([{ type: "scanned" }, { type: "done", account: "the lamp" }]);
  await expect.poll(() => stateOf(gateway, "home")).toBe("up");
  const { home } = gateway;
  expect(holding(home, TOKEN)).toEqual(["secrets/channels.home.token"]);
  expect(statSync(join(home, "secrets/channels.home.token")).mode & 0o777).toBe(0o600);
  expect(JSON.stringify([gateway.logs, events])).not.toContain(TOKEN);
  expect((await gateway.api("/channels/home")).body).toMatchObject({
    kind: "lamp",
    config: { options: { room: "kitchen" } },
  });
  // It is what the next process finds.
  await gateway.stop();
  const again = await startGateway(
    { onTestFinished },
    {
      config: {},
      prepare: (place) => cpSync(home, place.home, { recursive: true, filter: (path) => !path.includes("control") }),
    },
  );
  await expect.poll(() => stateOf(again, "home")).toBe("up");
});

test("CH96 who leaves the page ends the login, and so does who begins another one", async () => {
  const { lamp, gateway } = await scene();
  const first = await login(gateway, "home", { ...FIRST, baseUrl: lamp.url });
  lamp.tell(QR);
  await first.events(1);
  first.leave();
  await expect.poll(() => lamp.left).toBe(1);
  const second = await login(gateway, "home", { ...FIRST, baseUrl: lamp.url });
  lamp.tell(QR);
  await second.events(1);
  const third = await login(gateway, "home", { ...FIRST, baseUrl: lamp.url });
  await second.events(Infinity);
  await expect.poll(() => [lamp.begun, lamp.left]).toEqual([3, 2]);
  lamp.tell(DONE);
  await third.events(1);
  await expect.poll(() => stateOf(gateway, "home")).toBe("up");
});

test("CH172 what is refused on the phone, has expired or ends early is said with its cure, and nothing is kept", async () => {
  const { lamp, gateway } = await scene();
  for (const [told, text] of [
    [{ fault: "It was refused on the phone. Begin again." }, "It was refused on the phone. Begin again."],
    [{ type: "end" }, "The login of home ended, and nothing came of it. Try it again."],
    // What a platform says is no file of ours.
    [
      { ...DONE, settings: { token: "${file:auth.json}", room: "x" } },
      "What the platform gave for home is no setting. Enter it by hand.",
    ],
    [{ ...DONE, settings: { token: TOKEN, cellar: "x" } }, expect.stringMatching(/channels\.home.*cellar/)],
  ] as const) {
    const reading = await login(gateway, "home", { ...FIRST, baseUrl: lamp.url });
    lamp.tell(QR);
    lamp.tell(told);
    expect((await reading.events(2)).at(-1)).toEqual({ type: "failed", text });
  }
  expect(await stateOf(gateway, "home")).toBe("channel.not-found");
  expect(existsSync(join(gateway.home, "secrets"))).toBe(false);
});

test("CH172 CH49 what waits for a login leaves after it; whoever logs in a channel with secrets proves to be the owner", async () => {
  const lamp = await lampOf();
  const { gateway } = await scene({
    config: {
      channels: { home: { enabled: true, kind: "lamp", baseUrl: lamp.url, token: "an-old-token", operators: ["ada"] } },
    },
  });
  await expect.poll(() => stateOf(gateway, "home")).toBe("failed");
  await gateway.app.agent.bus.send("home:1", {
    reply: "r1",
    to: { channel: "home", chat: "1" },
    kind: "message",
    parts: [{ type: "text", text: "dinner is ready" }],
    from: { id: "test", kind: "agent" },
  });
  expect((await login(gateway, "home", {}, { scope: "admin" })).status).toBe(403);
  expect(lamp.begun).toBe(0);
  const reading = await login(gateway, "home", {});
  lamp.tell(DONE);
  await reading.events(1);
  expect(lamp.handed).toMatchObject({ token: "an-old-token" });
  await expect.poll(() => lamp.said).toEqual(["dinner is ready"]);
  // What was said of it before holds.
  expect((await gateway.api("/channels/home")).body).toMatchObject({ operators: ["ada"], state: "up" });
});

test("CH96 who cannot log in is told: no name, no kind, a kind without a login", async () => {
  const { gateway } = await scene();
  const code = async (id: string, body: JsonObject): Promise<unknown> => {
    const answer = await gateway.api(`/channels/${id}/login`, { method: "POST", body });
    return answer.body.code;
  };
  expect(await code("Home", FIRST)).toBe("channel.invalid");
  expect(await code("web", FIRST)).toBe("channel.invalid");
  expect(await code("home", { kind: "pigeon" })).toBe("channel.invalid");
  expect(await code("pigeon", {})).toBe("channel.invalid");
  expect(await code("webhook", {})).toBe("channel.invalid");
  expect(await code("home", { ...FIRST, token: "x" })).toBe("request.invalid");
});

test("CH92 a kind of somebody else is set up under its own name, by its settings and by a login", async () => {
  const { lamp, gateway } = await scene();
  const body = { enabled: true, baseUrl: lamp.url, token: { $secret: TOKEN } };
  const put = await gateway.api("/channels/lamp", { method: "PUT", body, headers: { "if-none-match": "*" } });
  expect([put.status, put.body.kind]).toEqual([200, "lamp"]);
  await expect.poll(() => stateOf(gateway, "lamp")).toBe("up");
  const headers = { "if-match": `"${put.body.hash}"` };
  expect((await gateway.api("/channels/lamp", { method: "DELETE", headers })).status).toBe(204);
  const reading = await login(gateway, "lamp", { baseUrl: lamp.url });
  lamp.tell(DONE);
  expect(await reading.events(1)).toMatchObject([{ type: "done" }]);
  await expect.poll(() => stateOf(gateway, "lamp")).toBe("up");
});

test("CH90 a kind says by what people log in", async () => {
  const { gateway } = await scene();
  const { body } = await gateway.api("/channels/kinds");
  const logins = Object.fromEntries(body.map(({ kind, login }: { kind: string; login: string }) => [kind, login]));
  expect(logins).toMatchObject({ lamp: "qr", feishu: "qr", telegram: "none", webhook: "none" });
});

async function place(): Promise<{ lamp: Lamp; app: Margay }> {
  const lamp = await lampOf();
  const model = await startMockModel();
  onTestFinished(() => model.close());
  const app = margay();
  app.configure({
    ...modelConfig(model.url),
    heartbeat: { enabled: false },
    gateway: { port: 0 },
    channels: { home: { enabled: false, kind: "lamp", baseUrl: lamp.url } },
  });
  await installLamp(app.home);
  return { lamp, app };
}

test("CH96 `margay channels login` draws the code, and keeps what comes; in a gateway when one runs", async () => {
  const { lamp, app } = await place();
  const alone = app.run(["channels", "login", "home"]);
  lamp.tell(QR);
  lamp.tell({ type: "code", code: "1234-5678", url: "https://lamp.example/enter", expiresAt: QR.expiresAt });
  lamp.tell({ type: "scanned" });
  lamp.tell(DONE);
  const ran = await alone;
  expect([ran.code, ran.err]).toEqual([0, ""]);
  expectQr(drawnIn(ran.out), 2);
  for (const part of [QR.data, "1234-5678  https://lamp.example/enter", "Scanned.", "home is logged in as the lamp"])
    expect(ran.out).toContain(part);
  expect(`${ran.out}${ran.err}`).not.toContain(TOKEN);
  expect(holding(app.home, TOKEN)).toEqual(["secrets/channels.home.token"]);

  const stop = new AbortController();
  const ready = Promise.withResolvers<void>();
  const gateway = app.run(["gateway"], {
    signal: stop.signal,
    onOut: (out) => out.includes("margay open") && ready.resolve(),
  });
  onTestFinished(async () => {
    stop.abort(new Error("stopped by SIGTERM"));
    await gateway;
  });
  await ready.promise;
  const there = app.run(["channels", "login", "home", "--json"]);
  lamp.tell(QR);
  lamp.tell({ ...DONE, settings: { token: "another-token-of-the-lamp", room: "hall" } });
  expect((await there).lines).toEqual([QR, { type: "done", account: "the lamp" }]);
  expect(holding(app.home, "another-token-of-the-lamp")).toEqual(["secrets/channels.home.token"]);
  const refused = app.run(["channels", "login", "home"]);
  lamp.tell({ fault: "It was refused on the phone. Begin again." });
  expect(await refused).toMatchObject({ code: 1, err: expect.stringContaining("It was refused on the phone.") });
  expect(await app.run(["channels", "login", "webhook"])).toMatchObject({
    code: 2,
    err: expect.stringContaining("webhook has no login by a code."),
  });
});

test("CH96 Ctrl+C ends a login of the command, alone and at a gateway", async () => {
  const { lamp, app } = await place();
  const stop = new AbortController();
  const interrupted = async (): Promise<number> => {
    const over = new AbortController();
    const shown = Promise.withResolvers<void>();
    const running = app.run(["channels", "login", "home"], {
      signal: over.signal,
      onOut: (out) => out.includes("Good until") && shown.resolve(),
    });
    lamp.tell(QR);
    await shown.promise;
    over.abort(new Error("stopped by SIGINT"));
    return (await running).code;
  };
  expect(await interrupted()).not.toBe(0);
  await expect.poll(() => lamp.left).toBe(1);
  const ready = Promise.withResolvers<void>();
  const gateway = app.run(["gateway"], {
    signal: stop.signal,
    onOut: (out) => out.includes("margay open") && ready.resolve(),
  });
  onTestFinished(async () => {
    stop.abort(new Error("stopped by SIGTERM"));
    await gateway;
  });
  await ready.promise;
  expect(await interrupted()).not.toBe(0);
  await expect.poll(() => lamp.left).toBe(2);
});

/** What an SVG draws. */
function rowsOf(path: string, size: number): readonly (readonly boolean[])[] {
  const rows = Array.from({ length: size }, () => Array.from({ length: size }, () => false));
  for (const [, x, y, width] of path.matchAll(/M(\d+) (\d+)h(\d+)v1H\1z/g))
    rows[Number(y)]?.fill(true, Number(x), Number(x) + Number(width));
  return rows;
}

/** What a terminal with light letters on dark ground shows. */
function drawnIn(out: string): readonly (readonly boolean[])[] {
  const lines = out.split("\n").filter((line) => /^[ ▀▄█]{20,}$/.test(line));
  const rows = lines.flatMap((line) => {
    const cells = Array.from(line);
    return [cells.map((cell) => cell === " " || cell === "▄"), cells.map((cell) => cell === " " || cell === "▀")];
  });
  return rows.length === rows[0]?.length ? rows : rows.slice(0, -1);
}
