// A file of a platform, as it comes over HTTP: from where it may, and in no other form than a file.
import { createServer, type RequestListener } from "node:http";
import type { AddressInfo } from "node:net";
import { expect, onTestFinished, test } from "vitest";
import { downloadFrom } from "../../../src/channels/media/download.ts";
import { ChannelFault } from "../../../src/lib/errors/channel-fault.ts";
import { systemClock } from "../../../src/machine/system/clock.ts";
import { fakeClock } from "../../../src/testing/fake-clock.ts";

const signal = new AbortController().signal;

async function served(handle: RequestListener): Promise<{ readonly url: string; readonly asked: string[] }> {
  const asked: string[] = [];
  const server = createServer((request, response) => {
    asked.push(`${request.url} ${request.headers.authorization ?? ""}`);
    handle(request, response);
  });
  await new Promise<void>((resolve) => {
    server.listen(0, "127.0.0.1", resolve);
  });
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, asked };
}

const open = downloadFrom({ hosts: ["http://127.0.0.1", "*.example.com"], clock: systemClock(), heard: () => {} });

async function read(stream: Promise<AsyncIterable<Uint8Array>>): Promise<string> {
  const parts: Uint8Array[] = [];
  for await (const part of await stream) parts.push(part);
  return String(Buffer.concat(parts));
}

async function faultOf(stream: Promise<AsyncIterable<Uint8Array>>): Promise<readonly unknown[]> {
  const error = await read(stream).then(
    (text) => new Error(`it came: ${text}`),
    (thrown: unknown) => thrown,
  );
  return error instanceof ChannelFault ? [error.kind, error.message, error.retryAfterMs] : [error];
}

test("CH82 a file comes from a host that the manifest names, and from no other: neither a name that ends alike nor one in the clear is asked", async () => {
  const server = await served((_, response) => response.end("bytes"));
  expect(await read(open(`${server.url}/a`, { headers: { authorization: "t" }, signal }))).toBe("bytes");
  for (const url of [
    server.url.replace("127.0.0.1", "localhost"),
    "https://evilexample.com/a",
    "https://example.com.evil.org/a",
    "http://cdn.example.com/a",
    "file:///etc/passwd",
    "no address",
  ])
    expect(await faultOf(open(url, { signal })), url).toEqual([
      "refused",
      expect.stringContaining("no place where this platform keeps files"),
      undefined,
    ]);
  expect(server.asked).toEqual(["/a t"]);
});

test("CH82 a redirect is not followed: it would take a token elsewhere", async () => {
  const other = await served((_, response) => response.end("stolen"));
  const server = await served((_, response) => response.writeHead(302, { location: `${other.url}/b` }).end());
  expect(await faultOf(open(`${server.url}/a`, { signal }))).toEqual([
    "refused",
    "its address leads elsewhere",
    undefined,
  ]);
  expect(other.asked).toEqual([]);
});

test.each([
  [404, {}, ["refused", "the file is not there", undefined]],
  [503, {}, ["again", "the platform answered with 503", undefined]],
  [429, { "retry-after": "7" }, ["slow-down", "the platform gives no more files for now", 7000]],
  [200, { "content-type": "text/html; charset=utf-8" }, ["refused", "a page came in place of it", undefined]],
] as const)(
  "CH76 an answer of %i is no file, and says whether a later attempt may cure it",
  async (status, headers, fault) => {
    const server = await served((_, response) => response.writeHead(status, headers).end("<html>"));
    expect(await faultOf(open(server.url, { mediaType: "application/pdf", signal }))).toEqual(fault);
  },
);

test("CH76 a page that was announced as one is a file", async () => {
  const server = await served((_, response) => response.writeHead(200, { "content-type": "text/html" }).end("<html>"));
  expect(await read(open(server.url, { mediaType: "text/html", signal }))).toBe("<html>");
});

test("CH25 a line that breaks, and one on which nothing comes, is tried again", async () => {
  const broken = await served((_, response) => {
    response.writeHead(200, { "content-length": "10" }).write("half");
    setImmediate(() => response.destroy());
  });
  expect(await faultOf(open(broken.url, { signal }))).toEqual(["again", expect.any(String), undefined]);
  const clock = fakeClock();
  const silent = await served(() => void clock.advance(30_000));
  const slow = downloadFrom({ hosts: ["http://127.0.0.1"], clock, heard: () => {} });
  expect(await faultOf(slow(silent.url, { signal }))).toEqual(["again", "nothing came for 30 s", undefined]);
});
