// Other pages in the victim's browser: on another port of this machine, and on another host name.
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import type { Page } from "playwright-core";
import { expect, test } from "vitest";
import { WebSocketServer } from "ws";
import { answers, openBrowser, say, until, type BrowserPlace } from "./support.ts";

/** What the attacks themselves leave in the console. */
const NOISE = [
  "foreign request",
  "Failed to load",
  "CORS",
  "WebSocket",
  "X-Frame-Options",
  "frame-ancestors",
  "Opener-Policy",
];

test("row 70: pages of other ports and hosts get nothing with the victim's cookie, change nothing and cannot frame us", async (t) => {
  const place = await openBrowser(t, { hostRules: "MAP *.test 127.0.0.1", expected: NOISE });
  const { page, gateway, context } = place;
  await say(page, "a secret");
  await until(() => answers(page)).toEqual(["ok"]);
  const key = await page.evaluate(() => localStorage.getItem("margay.key") ?? "");
  const [attacker, lax] = [await startServer(t), await startServer(t)];
  const before = await stateOf(place);
  for (const host of ["127.0.0.1", "localhost", "evil.test"]) {
    const evil = await context.newPage();
    await evil.goto(`http://${host}:${attacker.port}/`);
    // Shows that the attacks work where nobody defends himself.
    expect(new Set(Object.values(await attack(evil, `http://127.0.0.1:${lax.port}`, key)))).toEqual(new Set(["done"]));
    const refused = await refusals(place);
    const got = await attack(evil, gateway.url, key);
    expect({ host, kinds: [...new Set(Object.values(got))] }).toEqual({ host, kinds: ["refused"] });
    expect((await refusals(place)) - refused).toBeGreaterThanOrEqual(7); // they did arrive
    await evil.close();
  }
  // The cookie of 127.0.0.1 went to its other port, as cookies do: it is worth nothing without the key.
  const stolen = attacker.cookies.find((cookie) => cookie.includes(`margay_${gateway.port}=`));
  expect(stolen).toBeDefined();
  const headers = { cookie: stolen ?? "", origin: gateway.url, "sec-fetch-site": "same-origin" };
  expect((await gateway.api("/sessions", { token: null, headers })).status).toBe(401);
  // A name that an attacker points at us afterwards is still his.
  const rebound = await context.newPage();
  const answer = await rebound.goto(`http://rebind.test:${gateway.port}/`);
  expect({ status: answer?.status(), body: await answer?.text() }).toMatchObject({
    status: 403,
    body: expect.stringContaining("host.refused") as string,
  });
  expect(await stateOf(place)).toEqual(before);
  await page.bringToFront();
  await say(page, "still here");
  await until(() => answers(page)).toEqual(["ok", "ok"]);
  await place.isClean();
});

/** How many requests the gateway has answered with 403. */
async function refusals({ gateway }: BrowserPlace): Promise<number> {
  const { body } = await gateway.api("/!/metrics");
  const lines = String(body).matchAll(/^margay_http_requests_total\{[^}]*status="403"[^}]*\} (\d+)$/gm);
  return [...lines].reduce((sum, [, count]) => sum + Number(count), 0);
}

async function stateOf({ gateway }: BrowserPlace): Promise<unknown> {
  const paths = ["/sessions", "/estop", "/auth/tokens", "/memory/files", "/cron/jobs", "/approvals"];
  const bodies = await Promise.all(paths.map(async (path) => (await gateway.api(path)).body));
  const browsers = gateway.gateway.auth.browsers().map(({ id }) => id);
  const settings = (await gateway.api("/settings")).headers.get("etag");
  return { bodies, browsers, settings };
}

/** Everything a page can try against another origin, with the cookies of the browser. */
async function attack(page: Page, target: string, key: string): Promise<Readonly<Record<string, "done" | "refused">>> {
  const arrived = new Set<string>();
  const note = (response: { url(): string; status(): number }): void => {
    if (response.url().startsWith(target) && response.status() < 400) arrived.add(new URL(response.url()).pathname);
  };
  page.on("response", note);
  await page.reload(); // without the frames of an attack before
  const seen = await page.evaluate(tries, { target, key });
  await page.waitForFunction(foreignFrames);
  const framed: Record<string, "done" | "refused"> = {};
  for (const path of ["/", "/login", "/assets/diagram.html"]) {
    await page.evaluate((src) => {
      const frame = document.createElement("iframe");
      frame.src = src;
      document.body.append(frame);
    }, target + path);
    await page.waitForFunction(foreignFrames);
    framed[`frame ${path}`] = page.frames().some((frame) => frame.url() === target + path) ? "done" : "refused";
  }
  page.off("response", note);
  // What a page cannot see of its own doing: a blind request and the post of a form.
  const blind = ["/api/v1/auth/logout", "/api/v1/sessions", "/api/v1/cron/jobs"];
  const unseen = blind.map((path) => [`blind ${path}`, arrived.has(path) ? "done" : "refused"] as const);
  return { ...seen, ...framed, ...Object.fromEntries(unseen) };
}

/** Runs in the attacker's page: every frame has left the empty document it began with, for the target or an error. */
function foreignFrames(): boolean {
  return [...document.querySelectorAll("iframe")].every((frame) => frame.contentDocument === null);
}

/** Runs in the attacker's page. */
async function tries({
  target,
  key,
}: {
  readonly target: string;
  readonly key: string;
}): Promise<Record<string, "done" | "refused">> {
  const credentials = "include";
  const said = (work: Promise<unknown>): Promise<"done" | "refused"> =>
    work.then(
      () => "done",
      () => "refused",
    );
  const read = async (path: string, init: RequestInit = {}): Promise<void> => {
    const answer = await fetch(target + path, { credentials, ...init });
    if (!answer.ok) throw new Error(String(answer.status));
    await answer.text();
  };
  const load = (tag: "img" | "script", path: string): Promise<unknown> =>
    new Promise((resolve, reject) => {
      const element = document.createElement(tag);
      element.onload = resolve;
      element.onerror = reject;
      element.src = target + path;
      document.body.append(element);
    });
  const socket = (...protocols: readonly string[]): Promise<void> =>
    new Promise((resolve, reject) => {
      const opened = new WebSocket(`${target.replace("http", "ws")}/ws`, [...protocols]);
      opened.onopen = () => {
        opened.close();
        resolve();
      };
      opened.onerror = () => reject(new Error("refused"));
    });
  const post = (path: string, type: string, name: string, value: string): void => {
    const frame = document.createElement("iframe");
    frame.name = `to${path}`;
    document.body.append(frame);
    const form = document.createElement("form");
    Object.assign(form, { method: "POST", action: target + path, enctype: type, target: frame.name });
    const field = document.createElement("input");
    Object.assign(field, { name, value });
    form.append(field);
    document.body.append(form);
    form.submit();
  };
  const json = { "content-type": "application/json" };
  const seen = {
    fetch: await said(read("/api/v1/sessions")),
    "fetch with the key": await said(read("/api/v1/sessions", { headers: { "margay-key": key } })),
    "json put": await said(read("/api/v1/estop", { method: "PUT", headers: json, body: '{"on":true}' })),
    image: await said(load("img", "/favicon.svg")),
    script: await said(load("script", "/assets/boot.js")),
    socket: await said(socket("margay.v1")),
    "socket with the key": await said(socket("margay.v1", `margay.key.${key}`)),
  };
  const blind: RequestInit = { method: "POST", mode: "no-cors", credentials, body: "{}" };
  await fetch(`${target}/api/v1/auth/logout`, blind).catch(() => {});
  post("/api/v1/sessions", "text/plain", '{"title":"', '"}');
  post("/api/v1/cron/jobs", "application/x-www-form-urlencoded", "name", "evil");
  return seen;
}

interface Owner {
  onTestFinished(clean: () => Promise<void>): void;
}

/** Takes everything from everybody, and notes which cookies came along. */
async function startServer(t: Owner): Promise<{ readonly port: number; readonly cookies: readonly string[] }> {
  const cookies: string[] = [];
  const server = createServer((request: IncomingMessage, response: ServerResponse) => {
    cookies.push(request.headers.cookie ?? "");
    const { url = "/" } = request;
    const type = url.endsWith(".svg") ? "image/svg+xml" : url.endsWith(".js") ? "text/javascript" : "text/html";
    response.writeHead(200, {
      "content-type": type,
      "access-control-allow-origin": request.headers.origin ?? "*",
      "access-control-allow-credentials": "true",
      "access-control-allow-methods": "GET, POST, PUT",
      "access-control-allow-headers": "content-type, margay-key",
    });
    const picture = '<svg xmlns="http://www.w3.org/2000/svg" width="1" height="1"/>';
    response.end(type === "image/svg+xml" ? picture : type === "text/html" ? "<!doctype html><title>evil</title>" : "");
  });
  const sockets = new WebSocketServer({ server });
  await new Promise<void>((resolve) => {
    server.listen(0, "127.0.0.1", resolve);
  });
  t.onTestFinished(async () => {
    for (const client of sockets.clients) client.terminate();
    server.closeAllConnections();
    await new Promise((resolve) => {
      server.close(resolve);
    });
  });
  return { port: (server.address() as AddressInfo).port, cookies }; // a TCP server, not a pipe
}
