import { execFileSync } from "node:child_process";
import { createServer, type IncomingMessage } from "node:http";
import type { AddressInfo } from "node:net";
import { gzipSync } from "node:zlib";
import { expect, onTestFinished, test } from "vitest";
import { httpFetch } from "../../src/machine/http/http-fetch.ts";
import { startStreamServer } from "../support/stream-server.ts";

const json = (value: unknown): { readonly text: string } => ({ text: JSON.stringify(value) });

test("a request carries method, headers and body, and the answer reads as text, JSON, bytes or a stream", async () => {
  await using server = await startStreamServer();
  server.answers({
    status: 200,
    headers: { "content-type": "application/json", "X-Request-Id": "r1" },
    chunks: [json({ ok: "日本" })],
  });
  const get = httpFetch();
  const ask = async (): Promise<Response> =>
    await get(`${server.url}/v1/x?y=1`, { method: "POST", headers: { Authorization: "Bearer k" }, body: '{"a":"é"}' });
  const response = await ask();
  expect(response).toMatchObject({ ok: true, status: 200 });
  expect(response.headers.get("x-request-id")).toBe("r1");
  expect([...response.headers].map(([name]) => name)).toContain("content-type");
  expect(await response.json()).toEqual({ ok: "日本" });
  expect(await (await ask()).text()).toBe('{"ok":"日本"}');
  expect((await (await ask()).arrayBuffer()).byteLength).toBe(Buffer.byteLength('{"ok":"日本"}'));
  expect(server.requests[0]).toMatchObject({
    method: "POST",
    path: "/v1/x?y=1",
    body: '{"a":"é"}',
    headers: { authorization: "Bearer k", "content-length": "10" },
  });
});

test("a connection is kept and used again", async () => {
  await using server = await startStreamServer();
  server.answers({ status: 200, chunks: [json({})] });
  const get = httpFetch();
  const gone: boolean[] = [];
  for (let n = 0; n < 3; n++) await (await get(server.url)).text();
  for (const request of server.requests) void request.closed.then(() => gone.push(true));
  await Promise.resolve();
  expect(gone).toEqual([]);
  expect(new Set(server.requests.map((request) => request.port)).size).toBe(1);
});

test.each([
  ["sent once more on a new one", false, "answer", ["/first", "/second", "/second"]],
  ["not repeated where it may act", true, "ECONNRESET", ["/first", "/second"]],
])("a kept connection that ends instead of an answer: the request is %s", async (_, sendsOnce, answer, paths) => {
  const asked: IncomingMessage[] = [];
  const ports = new Set<number | undefined>();
  const server = createServer((request, response) => {
    asked.push(request);
    if (asked.length < 3) ports.add(request.socket.remotePort);
    if (asked.length === 2) request.socket.destroy();
    else response.end("answer");
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  onTestFinished(() => void server.close());
  const send = httpFetch({ sendsOnce });
  const post = async (path: string): Promise<string> => {
    const { port } = server.address() as AddressInfo; // TCP
    return (await send(`http://127.0.0.1:${port}/${path}`, { method: "POST", body: "{}" })).text();
  };
  await post("first");
  expect(await post("second").catch((error: unknown) => (error as NodeJS.ErrnoException).code)).toBe(answer);
  expect(asked.map(({ url }) => url)).toEqual(paths);
  expect(ports.size).toBe(1); // it was a kept one
});

test("a compressed answer is read as it arrives", async () => {
  await using server = await startStreamServer();
  const packed = gzipSync("data: one\n\ndata: two\n\n");
  server.answers({
    status: 200,
    headers: { "content-encoding": "gzip" },
    chunks: [{ base64: packed.subarray(0, 15).toString("base64") }, { base64: packed.subarray(15).toString("base64") }],
  });
  const response = await httpFetch()(server.url);
  expect(response.headers.get("content-encoding")).toBeNull();
  expect(await response.text()).toBe("data: one\n\ndata: two\n\n");
});

test("a compressed answer that is damaged fails, and nothing but it", async () => {
  await using server = await startStreamServer();
  const packed = gzipSync("data: one\n\n".repeat(100));
  packed.fill(255, 12, 24);
  server.answers({
    status: 200,
    headers: { "content-encoding": "gzip" },
    chunks: [{ base64: packed.toString("base64") }],
  });
  const response = await httpFetch()(server.url);
  await expect(response.text()).rejects.toMatchObject({ code: "Z_DATA_ERROR" });
});

test("R60 a redirect is not followed: the key stays with its host", async () => {
  await using server = await startStreamServer();
  await using other = await startStreamServer();
  for (const status of [301, 302, 307, 308]) {
    server.answers({ status, headers: { location: other.url }, chunks: [] });
    const response = await httpFetch()(server.url, {
      method: "POST",
      headers: { authorization: "Bearer k" },
      body: "{}",
    });
    expect([response.ok, response.status]).toEqual([false, status]);
  }
  expect(other.requests).toEqual([]);
});

test("R393 aborting closes the connection, before the answer and in the middle of it", async () => {
  await using server = await startStreamServer();
  server.answers({ status: 200, chunks: [{ text: "begin" }], end: "hold" });
  const reason = new Error("stopped");
  const middle = new AbortController();
  const response = await httpFetch()(server.url, { signal: middle.signal });
  const reader = response.body?.getReader();
  expect(new TextDecoder().decode((await reader?.read())?.value)).toBe("begin");
  const pending = reader?.read();
  middle.abort(reason);
  await expect(pending).rejects.toBe(reason);
  await (
    await server.request(1)
  ).closed;

  const before = new AbortController();
  server.answers({ status: 200, chunks: [], end: "silent" });
  const asked = httpFetch()(server.url, { signal: before.signal });
  const seen = await server.request(2);
  before.abort(reason);
  await expect(asked).rejects.toBe(reason);
  await seen.closed;
  await expect(httpFetch()(server.url, { signal: AbortSignal.abort(reason) })).rejects.toBe(reason);
});

test("leaving a body that goes on closes its connection", async () => {
  await using server = await startStreamServer();
  server.answers({ status: 200, chunks: [{ text: "begin" }], end: "hold" });
  const response = await httpFetch()(server.url);
  await response.body?.cancel();
  await (
    await server.request(1)
  ).closed;
});

test("an error body is bounded (http-response/MAX_ERROR_BODY_BYTES), and a broken connection is an error with its code", async () => {
  await using server = await startStreamServer();
  server.answers({ status: 500, chunks: [{ repeat_text: "x", times: 4_000_000 }] });
  expect((await (await httpFetch()(server.url)).text()).length).toBe(256 * 1024);
  server.answers({ status: 200, chunks: [{ text: "begin" }], end: "cut" });
  await expect((await httpFetch()(server.url)).text()).rejects.toMatchObject({ code: "ECONNRESET" });
  await expect(httpFetch()("http://127.0.0.1:1")).rejects.toMatchObject({ code: "ECONNREFUSED" });
});

test("a program whose request was refused ends at once: nothing of the request keeps it", () => {
  const source = new URL("../../src/machine/http/http-fetch.ts", import.meta.url).href;
  const program = `import { httpFetch } from "${source}";
    const failed = await httpFetch({ connectTimeoutMs: 600_000 })("http://127.0.0.1:1").catch((error) => error.code);
    console.log(failed);`;
  const said = execFileSync(process.execPath, ["--input-type=module", "-e", program], {
    encoding: "utf8",
    timeout: 60_000,
  });
  expect(said).toBe("ECONNREFUSED\n");
});
