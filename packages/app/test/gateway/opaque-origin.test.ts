// The one page of ours without an origin, the diagram frame: what it may ask for, and that nothing else takes `Origin: null`.
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { fullPath } from "../../src/host/http/table.ts";
import { ROUTES } from "../../src/compose/routes.ts";
import { logIn } from "./browser.ts";
import { requestText, sendRaw } from "./raw.ts";
import { startGateway } from "./support.ts";

const BUILT = join(import.meta.dirname, "../../dist/web");
const ASSETS = Object.keys(JSON.parse(readFileSync(join(BUILT, "manifest.json"), "utf8")) as object);

test("G§4.2 Origin: null is refused on every path but the files of the diagram frame, whatever the credential", async (t) => {
  const gateway = await startGateway(t, { pages: BUILT });
  const { cookie, key } = await logIn(gateway);
  const mine = { cookie, "margay-key": key, "sec-fetch-site": "same-origin", origin: "null" };
  const bearer = { authorization: `Bearer ${gateway.token("owner")}`, origin: "null" };
  const ask = async (method: string, path: string, headers: Readonly<Record<string, string>>): Promise<string> => {
    const { status, text } = await sendRaw(gateway.port, requestText(gateway.port, method, path, headers));
    return `${status ?? ""} ${/"code":"([^"]+)"/.exec(text)?.[1] ?? ""}`.trim();
  };
  const frame = ASSETS.filter((path) => path.startsWith("/assets/diagram"));
  expect(frame).toContain("/assets/diagram.html");
  for (const path of frame) {
    expect(await ask("GET", path, { origin: "null", "sec-fetch-site": "cross-site" }), path).toBe("200");
    for (const method of ["HEAD", "OPTIONS", "POST", "PUT", "DELETE"])
      expect(await ask(method, path, mine), `${method} ${path}`).toMatch(/^403/);
  }
  const others = [
    "/",
    "/login",
    "/s/session-1",
    "/assets/diagram",
    "/assets/diagram-0.js",
    "/assets/diagram/../../api/v1/estop",
  ]
    .concat(
      ["/health", "/ws", "/nowhere"],
      ASSETS.filter((path) => !frame.includes(path)),
    )
    .map((path) => ["GET", path] as const);
  const routes = ROUTES.map((route) => [route.method, fullPath(route).replaceAll(/\{[^}]+\}/g, "x")] as const);
  expect(routes.length).toBeGreaterThan(150);
  for (const [method, path] of [...others, ...routes])
    for (const headers of [mine, bearer])
      expect(await ask(method, path, headers), `${method} ${path}`).toBe("403 origin.refused");
  const upgrade = { connection: "upgrade", upgrade: "websocket", "sec-websocket-version": "13" };
  const socket = { ...upgrade, "sec-websocket-key": "AAAAAAAAAAAAAAAAAAAAAA==", "sec-websocket-protocol": "margay.v1" };
  for (const headers of [mine, bearer])
    expect(await ask("GET", "/ws", { ...socket, ...headers })).toBe("403 origin.refused");
});
