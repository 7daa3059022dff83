// What never reaches a route: the first check of gateway.md §2.3, byte by byte.
import { expect, test } from "vitest";
import { requestText, sendRaw } from "./raw.ts";
import { startGateway } from "./support.ts";

const CASES: readonly (readonly [string, (host: string) => string, readonly (number | undefined)[]])[] = [
  ["absolute form", (host) => `GET http://evil.test/ HTTP/1.1\r\nHost: ${host}\r\n\r\n`, [400]],
  ["our own address in absolute form", (host) => `GET http://${host}/health HTTP/1.1\r\nHost: ${host}\r\n\r\n`, [400]],
  ["asterisk form", (host) => `OPTIONS * HTTP/1.1\r\nHost: ${host}\r\n\r\n`, [400]],
  [
    "both lengths",
    (host) =>
      `POST /health HTTP/1.1\r\nHost: ${host}\r\nContent-Length: 6\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\nG`,
    [400],
  ],
  [
    "two lengths",
    (host) => `POST /health HTTP/1.1\r\nHost: ${host}\r\nContent-Length: 1\r\nContent-Length: 2\r\n\r\nxx`,
    [400],
  ],
  ["folded header", (host) => `GET /health HTTP/1.1\r\nHost: ${host}\r\nX: a\r\n b\r\n\r\n`, [400]],
  ["NUL in a header", (host) => `GET /health HTTP/1.1\r\nHost: ${host}\r\nX: a\u0000b\r\n\r\n`, [400]],
  ["NUL in the target", (host) => `GET /hea\u0000lth HTTP/1.1\r\nHost: ${host}\r\n\r\n`, [400]],
  ["CONNECT", () => "CONNECT evil.test:80 HTTP/1.1\r\nHost: evil.test:80\r\n\r\n", [400]],
  ["TRACE", (host) => `TRACE /health HTTP/1.1\r\nHost: ${host}\r\n\r\n`, [405]],
  ["HTTP/2 preface", () => "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n", [400]],
  [
    "h2c upgrade",
    (host) =>
      `GET /health HTTP/1.1\r\nHost: ${host}\r\nUpgrade: h2c\r\nConnection: Upgrade, HTTP2-Settings\r\nHTTP2-Settings: AAAA\r\n\r\n`,
    [400],
  ],
  ["no Host", () => "GET /health HTTP/1.1\r\n\r\n", [400]],
  ["two Hosts", (host) => `GET /health HTTP/1.1\r\nHost: ${host}\r\nHost: ${host}\r\n\r\n`, [400]],
  ["space before the colon", (host) => `GET /health HTTP/1.1\r\nHost: ${host}\r\nContent-Length : 1\r\n\r\nx`, [400]],
  ["unknown method", (host) => `BREW /health HTTP/1.1\r\nHost: ${host}\r\n\r\n`, [400]],
  ["a TLS hello", () => "\u0016\u0003\u0001\u0002\u0000\u0001\u0000", [400, undefined]],
  ["headers of 20 KiB", (host) => `GET /health HTTP/1.1\r\nHost: ${host}\r\nX: ${"a".repeat(20_000)}\r\n\r\n`, [431]],
  ["101 headers", (host) => `GET /health HTTP/1.1\r\nHost: ${host}\r\n${"X: a\r\n".repeat(101)}\r\n`, [431]],
  ["a URL of 9,000 bytes", (host) => `GET /${"a".repeat(9000)} HTTP/1.1\r\nHost: ${host}\r\n\r\n`, [414]],
];

test("requests that no client of ours sends are refused before anything looks at them", async (t) => {
  const { port, api } = await startGateway(t);
  for (const [name, bytes, statuses] of CASES) {
    const answer = await sendRaw(port, bytes(`127.0.0.1:${port}`));
    expect(statuses, `${name}: ${answer.text.slice(0, 300)}`).toContain(answer.status);
    expect(answer.responses, name).toBeLessThanOrEqual(1);
    expect((await api("/!/health", { token: null })).status, name).toBe(200);
  }
});

test("a request that does not arrive in its time is answered 408 and its connection closed", async (t) => {
  const { port } = await startGateway(t, { arrival: { headersMs: 200, bodyMs: 400 } });
  const unfinished = await sendRaw(port, `GET /health HTTP/1.1\r\nHost: 127.0.0.1:${port}\r\nX: `);
  expect(unfinished.status).toBe(408);
  const slow = await sendRaw(
    port,
    requestText(port, "POST", "/api/v1/auth/login", { "content-type": "application/json", "content-length": "1000" }),
  );
  expect(slow.status).toBe(408);
});
