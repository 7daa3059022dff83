// Addresses, paths and bodies: each bound at n, and at one more.
import { mkdirSync, readdirSync, symlinkSync, writeFileSync } from "node:fs";
import http from "node:http";
import net, { type AddressInfo } from "node:net";
import { dirname, join } from "node:path";
import { gzipSync } from "node:zlib";
import { expect, onTestFinished, test } from "vitest";
import { systemClock } from "../../src/machine/system/clock.ts";
import { openEgressDoor } from "../../src/machine/egress/door.ts";
import { systemIds } from "../../src/machine/system/ids.ts";
import { createCleanup } from "../../src/machine/files/cleanup.ts";
import { silentLog } from "../../src/machine/system/log.ts";
import { createSafeFetch, type SafeResult } from "../../src/machine/http/safe-fetch.ts";
import { parseUrl } from "../../src/machine/http/safe-url.ts";
import { walk } from "../../src/machine/files/safe-walk.ts";
import { fileBench } from "../builtin/file-support.ts";
import { temporaryFolder } from "../support/folder.ts";

test("cleanup/DEPTH: three folders below that of the state are swept, what lies deeper is not", async () => {
  await using folder = await temporaryFolder();
  const deep = folder.at("state", "a", "b", "c", "d");
  mkdirSync(deep, { recursive: true });
  mkdirSync(folder.at("workspace"));
  for (const place of [dirname(deep), deep]) writeFileSync(join(place, ".4194303-abc.tmp"), "half");
  await createCleanup({ workspace: folder.at("workspace"), directory: folder.at("state"), log: silentLog })();
  expect([dirname(deep), deep].map((place) => readdirSync(place))).toEqual([["d"], [".4194303-abc.tmp"]]);
});

test("systemIds: sixteen letters that cannot be mistaken for each other", () => {
  const { next } = systemIds();
  for (let count = 0; count < 20; count++) expect(next("m")).toMatch(/^m-[0-9a-hjkmnp-tv-z]{16}$/);
});

test("safe-url/MAX_URL_CHARS: an address of 8,192 characters is one, a longer one is refused", () => {
  const url = (chars: number): string => `http://example.com/${"a".repeat(chars - 19)}`;
  expect(parseUrl(url(8192))).toHaveProperty("url");
  expect(parseUrl(url(8193))).toMatchObject({ refusal: { fact: "the URL is longer than 8,192 characters" } });
});

test("safe-exchange/MAX_DOWNLOAD_BYTES, safe-exchange/MAX_DECODED_BYTES: 5 MB of a body and 20 MB of what was packed are whole, a byte more is cut", async () => {
  const bodies = new Map<string, Buffer>();
  const server = http.createServer((request, response) => {
    const packed = request.url?.startsWith("/packed") === true;
    response.writeHead(200, packed ? { "content-encoding": "gzip" } : {}).end(bodies.get(request.url ?? ""));
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  onTestFinished(() => void server.close());
  const { port } = server.address() as AddressInfo;
  const fetch = createSafeFetch({
    clock: systemClock(),
    resolve: async () => ["93.184.216.34"],
    connect: () => net.connect(port, "127.0.0.1"),
  });
  const look = async (name: string, bytes: number): Promise<unknown> => {
    const body = Buffer.alloc(bytes, 120);
    bodies.set(`/${name}`, name.startsWith("packed") ? gzipSync(body) : body);
    const result: SafeResult = await fetch(`http://pub.test/${name}`, {}, new AbortController().signal);
    return result.status === "ok" ? [result.response.body.length, result.response.isCut] : result;
  };
  const MB = 1024 * 1024;
  expect(await look("plain", 5 * MB)).toEqual([5 * MB, false]);
  expect(await look("plain1", 5 * MB + 1)).toEqual([5 * MB, true]);
  expect(await look("packed", 20 * MB)).toEqual([20 * MB, false]);
  expect(await look("packed1", 20 * MB + 1)).toEqual([20 * MB, true]);
});

test("safe-files/MAX_NAME_BYTES, safe-files/MAX_DEPTH, safe-files/MAX_PATH_BYTES: a longer name, more levels and a longer path are refused as too long", async () => {
  const { call, workspace } = await fileBench();
  const isTooLong = async (path: string): Promise<boolean> =>
    (await call("read_file", { path })).text.includes(" is too long. ");
  expect([await isTooLong("n".repeat(255)), await isTooLong("n".repeat(256))]).toEqual([false, true]);
  expect([await isTooLong("雨".repeat(85)), await isTooLong("雨".repeat(86))]).toEqual([false, true]); // bytes
  // Counted from the root of the disk, which is one.
  const levels = (count: number): string =>
    Array.from({ length: count - workspace.split("/").length }, () => "d").join("/");
  expect([await isTooLong(levels(256)), await isTooLong(levels(257))]).toEqual([false, true]);
  const bytes = (count: number): string => {
    const left = count - Buffer.byteLength(workspace) - 1;
    return `${"n".repeat(199)}/`.repeat(Math.floor(left / 200)) + "n".repeat(left % 200);
  };
  expect([await isTooLong(bytes(3840)), await isTooLong(bytes(3841))]).toEqual([false, true]);
});

test("clock/MAX_TIMER_MS: a sleep longer than a timer can be does not end at once", async () => {
  const clock = systemClock();
  for (const ms of [2 ** 31 - 1, 2 ** 31]) {
    const over = new AbortController();
    const slept = clock.sleep(ms, over.signal).then(
      () => "over",
      () => "still asleep",
    );
    await clock.sleep(20, new AbortController().signal); // a timer that was too long for Node fires after 1 ms
    over.abort();
    expect([ms, await slept]).toEqual([ms, "still asleep"]);
  }
});

test("safe-exchange/MAX_HEADER_BYTES: headers of 64 KB are read, a byte more is an error", async () => {
  let value = "";
  // Node counts names, values and the words of the status, and has one byte less than it is told.
  const server = net.createServer((socket) => {
    socket.on("error", () => {}); // the client hangs up
    socket.once("data", () => socket.end(`HTTP/1.1 200 OK\r\nx: ${value}\r\n\r\nhello`));
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  onTestFinished(() => void server.close());
  const { port } = server.address() as AddressInfo;
  const fetch = createSafeFetch({
    clock: systemClock(),
    resolve: async () => ["93.184.216.34"],
    connect: () => net.connect(port, "127.0.0.1"),
  });
  const look = async (bytes: number): Promise<unknown> => {
    value = "v".repeat(bytes - "OKx".length);
    return fetch("http://pub.test/", {}, new AbortController().signal).then(({ status }) => status, String);
  };
  expect(await look(64 * 1024 - 1)).toBe("ok");
  expect(await look(64 * 1024)).toContain("HPE_HEADER_OVERFLOW");
});

test("checked-addresses/MAX_TRIES: a host whose third address answers is reached, one whose fourth does is not", async () => {
  const server = http.createServer((_, response) => void response.end("hello"));
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  onTestFinished(() => void server.close());
  const { port } = server.address() as AddressInfo;
  const reached = (dead: number): Promise<string> => {
    const addresses = Array.from({ length: dead + 1 }, (_, n) => `93.184.216.${n + 1}`);
    const fetch = createSafeFetch({
      clock: systemClock(),
      resolve: async () => addresses,
      connect: (address) => net.connect(address === addresses.at(-1) ? port : 1, "127.0.0.1"),
    });
    return fetch("http://pub.test/", {}, new AbortController().signal).then(({ status }) => status, String);
  };
  expect(await reached(2)).toBe("ok");
  expect(await reached(3)).toContain("ECONNREFUSED");
});

test("door/MAX_PATH_BYTES: a socket lies in its directory when its path has 103 bytes, elsewhere when it has more", async () => {
  await using folder = await temporaryFolder();
  for (const bytes of [103, 104]) {
    const directory = folder.at("d".repeat(bytes - Buffer.byteLength(folder.at("d", "0123456789ab.sock")) + 1));
    const hosts = (): readonly string[] => ["example.com"];
    await using socket = await openEgressDoor({ directory, hosts, record: () => {}, clock: systemClock() });
    const { path } = socket;
    expect(dirname(path) === directory ? Buffer.byteLength(path) : "elsewhere").toBe(bytes === 103 ? 103 : "elsewhere");
  }
});

test("safe-walk/MAX_LINKS: forty links are followed, one more is a loop", async () => {
  const { call, put, workspace } = await fileBench();
  await put("l0", "hello\n");
  for (let n = 1; n <= 41; n++) symlinkSync(`l${n - 1}`, join(workspace, `l${n}`));
  expect((await call("read_file", { path: "l40" })).text).toContain("hello");
  expect((await call("read_file", { path: "l41" })).text).not.toContain("hello");
});

test("safe-walk/MAX_RETRIES: a walk makes 1,000 directories, one more is refused", async () => {
  await using folder = await temporaryFolder();
  const made = (from: string, count: number): string => {
    const path = Array.from({ length: count }, (_, n) => [`${from}${n}`, ".."]).flat();
    const protection = { refuses: () => false, refusesListing: () => false };
    try {
      walk(path, { root: folder.path, aliases: [], protection, create: true }).directory.close();
      return "made";
    } catch (error) {
      return String(error);
    }
  };
  expect([made("a", 1000), made("b", 1001)]).toEqual(["made", "WalkRefused: loop"]);
});
