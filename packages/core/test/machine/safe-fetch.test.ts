import fs from "node:fs";
import http from "node:http";
import net, { type AddressInfo } from "node:net";
import { gzipSync } from "node:zlib";
import { expect, test } from "vitest";
import { isPublicAddress } from "../../src/machine/http/addresses.ts";
import { systemClock } from "../../src/machine/system/clock.ts";
import type { SafeRequest } from "../../src/machine/http/safe-exchange.ts";
import { createSafeFetch, type SafeFetchOptions, type SafeResult } from "../../src/machine/http/safe-fetch.ts";
import { fakeClock } from "../../src/testing/fake-clock.ts";

type Names = Readonly<Record<string, readonly string[] | { readonly hang: true }>>;
interface Case {
  readonly id: string;
  readonly url: string;
  readonly expect: "block" | "block_or_public" | "allow" | "error" | "limit";
  readonly intent: string;
  readonly stage: string;
  readonly method?: "GET" | "POST";
  readonly resolve?: Names;
  readonly redirect?: {
    readonly status: number;
    readonly location?: string;
    readonly chain?: readonly string[];
    readonly body_bytes?: number;
    readonly encoding?: string;
    readonly drip_ms?: number;
    readonly header_drip_ms?: number;
    readonly header_bytes?: number;
    readonly body?: string;
  };
}

/** A server that stands for every public address; `dials` are the addresses that would have been dialed. */
interface Internet extends AsyncDisposable {
  readonly dials: string[];
  readonly requests: string[];
  fetch(
    url: string,
    options?: Partial<SafeFetchOptions> & { readonly names?: Names },
    request?: SafeRequest,
    signal?: AbortSignal,
  ): Promise<SafeResult>;
}

async function openInternet(answer: http.RequestListener): Promise<Internet> {
  const requests: string[] = [];
  const server = http.createServer((request, response) => {
    requests.push(`${request.method} ${request.headers.host}${request.url}`);
    answer(request, response);
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as AddressInfo;
  const dials: string[] = [];
  return {
    dials,
    requests,
    fetch: (url, { names = {}, ...options } = {}, request = {}, signal = new AbortController().signal) =>
      createSafeFetch({
        clock: systemClock(),
        resolve: async (host) => {
          const entry = names[host];
          if (entry !== undefined && "hang" in entry) return new Promise(() => undefined);
          return entry ?? [];
        },
        connect: (address, wanted) => {
          dials.push(`${address}:${wanted}`);
          return net.connect(port, "127.0.0.1");
        },
        ...options,
      })(url, request, signal),
    [Symbol.asyncDispose]: async () => {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

const corpus = fs
  .readFileSync(new URL("../fixtures/ssrf.jsonl", import.meta.url), "utf8")
  .trim()
  .split("\n")
  .map((line) => JSON.parse(line) as Case); // the corpus describes itself in its README

const addressCases = corpus.filter(({ redirect }) => redirect?.status !== 200);
test.each(addressCases.map((entry) => [entry.id, entry.intent, entry] as const))(
  "R113 WB1 WB2 %s: %s",
  async (_, __, entry) => {
    await using internet = await openInternet((request, response) => {
      const { redirect } = entry;
      const hop = redirect?.chain?.[Number(request.url?.slice(1) || 0)] ?? redirect?.location;
      if (redirect === undefined || hop === undefined) return void response.end("public");
      response.writeHead(redirect.status, { location: hop.replaceAll("@PORT@", "9999") }).end();
    });
    const url = entry.url.replaceAll("@PORT@", "9999");
    const clock = fakeClock();
    const names = entry.resolve ?? {};
    const isHanging = Object.values(names).some((value) => "hang" in value);
    const allowHosts = entry.expect === "allow" && url.includes("127.0.0.1") ? ["127.0.0.1:9999"] : [];
    const body = entry.method === "POST" ? { method: "POST" as const, body: "x" } : {};
    const result = internet.fetch(url, { names, allowHosts, ...(isHanging && { clock }) }, body).then(
      (value) => value.status,
      () => "threw",
    );
    if (isHanging) {
      await clock.waitForSleep(10_000, 10_000);
      await clock.advance(10_000);
    }
    const status = await result;
    const foreign = internet.dials.filter((dial) => !isPublicAddress(dial.slice(0, dial.lastIndexOf(":"))));
    expect(foreign).toEqual(allowHosts.length > 0 ? ["127.0.0.1:9999"] : []);
    const isReached = internet.dials.length > 0;
    const outcomes: Readonly<Record<Case["expect"], boolean>> = {
      // "connect": the proxy of the environment must not be dialed, and was not.
      block: status === "refused" || entry.stage === "connect",
      block_or_public: true,
      // https cases end in the handshake with a server that speaks none: what counts is that they were dialed.
      allow: isReached && (status === "ok" || url.startsWith("https")),
      error: status !== "ok",
      limit: true,
    };
    expect([entry.url, status, outcomes[entry.expect]]).toEqual([entry.url, status, true]);
  },
);

test("WB2 blocks of either family are closed, their neighbors are open", () => {
  const closed = [
    "0.0.0.0",
    "10.0.0.1",
    "100.127.255.255",
    "127.0.0.1",
    "169.254.169.254",
    "172.31.255.255",
    "192.0.0.1",
    "192.168.0.1",
    "198.19.0.1",
    "224.0.0.1",
    "255.255.255.255",
    "168.63.129.16",
    "::",
    "::1",
    "::ffff:8.8.8.8",
    "64:ff9b::808:808",
    "fc00::1",
    "fe80::1",
    "ff02::1",
    "2001:db8::1",
    "2001::1",
    "2002:808:808::1",
    "3fff::1",
    "2606:4700::5efe:a00:1", // ISATAP: 10.0.0.1
    "2606:4700::200:5efe:7f00:1",
    "2606:4700::5efe:127.0.0.1",
    "1.2.3",
    "01.2.3.4",
    "fe80::1%eth0",
    "2606:4700::1111%1",
    "",
    "localhost",
    "1::2::3",
  ];
  const open = [
    "1.1.1.1",
    "9.255.255.255",
    "100.63.255.255",
    "100.128.0.0",
    "172.15.255.255",
    "172.32.0.1",
    "192.0.1.1",
    "198.17.0.1",
    "198.20.0.1",
    "223.255.255.255",
    "2606:4700:4700::1111",
    "2a00:1450:4001:81c::200e",
    "2001:4860:4860::8888",
    "2606:4700::5eff:a00:1",
    "2606:4700::5efe:0:0:1",
  ];
  expect(closed.filter(isPublicAddress)).toEqual([]);
  expect(open.filter((address) => !isPublicAddress(address))).toEqual([]);
});

test("R113 a name with one private address among public ones is refused, and the refusal is final", async () => {
  await using internet = await openInternet((_, response) => response.end());
  const result = await internet.fetch("http://mixed.test/", { names: { "mixed.test": ["93.184.216.34", "10.0.0.1"] } });
  expect(result).toEqual({
    status: "refused",
    refusal: { fact: "mixed.test is not a public address", next: "do not retry; ask the operator to allow it" },
  });
  expect(internet.dials).toEqual([]);
});

test.each([
  ["its own address", "http://198.100.1.1/", false],
  ["another machine of a hosting network", "http://198.100.1.2/", true],
  ["its own address of IPv6", "http://[2606:4700:1::5]/", false],
  ["its neighbor at home, which IPv6 makes public", "http://[2606:4700:1::77]/", false],
  ["a name of its own address", "http://me.test/", false],
  ["a neighbor in a provider's large network", "http://[2606:4800::77]/", true],
])("R113 what only this machine can reach through a public address stays closed: %s", async (_, url, isOpen) => {
  await using internet = await openInternet((__, response) => response.end("here"));
  const networks = ["127.0.0.1/8", "198.100.1.1/24", "2606:4700:1::5/64", "2606:4800::1/48"];
  const options = { names: { "me.test": ["198.100.1.1"] }, ownNetworks: () => networks };
  expect((await internet.fetch(url, options)).status).toBe(isOpen ? "ok" : "refused");
  expect(internet.dials.length).toBe(isOpen ? 1 : 0);
});

test("R113 the operator's exception holds for the machine's own address too", async () => {
  await using internet = await openInternet((_, response) => response.end("here"));
  const options = { ownNetworks: () => ["198.100.1.1/24"], allowHosts: ["198.100.1.1:8080"] };
  expect((await internet.fetch("http://198.100.1.1:8080/", options)).status).toBe("ok");
  expect((await internet.fetch("http://198.100.1.1/", options)).status).toBe("refused");
});

test.each([
  ["a header with a line break", { headers: { "x-key": "a\r\nHost: other.test" } }],
  ["a header's name with a line break", { headers: { "x-key\r\nhost": "other.test" } }],
])("R113 %s is sent nowhere", async (_, request) => {
  await using internet = await openInternet((__, response) => response.end("here"));
  await expect(
    internet.fetch("http://pub.test/", { names: { "pub.test": ["93.184.216.34"] } }, request),
  ).rejects.toThrow("could not be reached");
  expect(internet.requests).toEqual([]);
});

test("R113 headers of the caller cannot say another host, and line breaks in an address are none", async () => {
  await using internet = await openInternet((_, response) => response.end("here"));
  const names = { "pub.test": ["93.184.216.34"] };
  await internet.fetch("http://pub.test/", { names }, { headers: { Host: "other.test", Connection: "keep-alive" } });
  await internet.fetch("http://pub.test/a\r\nHost: other.test\r\n", { names });
  await internet.fetch("http://pub.test/%0d%0aHost:%20other.test", { names });
  expect(internet.requests).toEqual([
    "GET pub.test/",
    "GET pub.test/aHost:%20other.test",
    "GET pub.test/%0d%0aHost:%20other.test",
  ]);
});

test("R113 a body compressed twice, or in a way nobody asked for, is not unpacked", async () => {
  const inner = gzipSync(Buffer.alloc(32 * 1024 * 1024));
  await using internet = await openInternet((request, response) => {
    const encoding = request.url === "/twice" ? "gzip, gzip" : "zstd";
    response.writeHead(200, { "content-encoding": encoding }).end(gzipSync(inner));
  });
  for (const path of ["twice", "zstd"]) {
    const result = await internet.fetch(`http://pub.test/${path}`, { names: { "pub.test": ["93.184.216.34"] } });
    expect(result.status === "ok" && result.response.body.length).toBeLessThan(64 * 1024);
  }
});

test("R113 interim answers without end are no way to keep us", async () => {
  const asked = Promise.withResolvers<void>();
  await using internet = await openInternet((_, response) => {
    const more = (): void => {
      if (response.destroyed) return;
      response.writeProcessing();
      setImmediate(more);
    };
    more();
    asked.resolve();
  });
  const clock = fakeClock();
  const result = internet.fetch("http://pub.test/", { clock, names: { "pub.test": ["93.184.216.34"] } }).catch(String);
  await asked.promise;
  await clock.advance(30_000);
  expect(await result).toContain("did not arrive within 30 s");
});

test("R113 the address that was checked is dialed: a second answer of the resolver has no effect", async () => {
  await using internet = await openInternet((_, response) => response.end("fine"));
  const answers = [["93.184.216.34"], ["127.0.0.1"]];
  const result = await internet.fetch("http://rebind.test/", { resolve: async () => answers.shift() ?? [] });
  expect(result.status).toBe("ok");
  expect(internet.dials).toEqual(["93.184.216.34:80"]);
});

test("WB4 a URL with a password is refused, and the refusal does not repeat it", async () => {
  await using internet = await openInternet((_, response) => response.end());
  const result = await internet.fetch("http://user:hunter2@example.com/", {
    names: { "example.com": ["93.184.216.34"] },
  });
  expect(result.status).toBe("refused");
  expect(JSON.stringify(result)).not.toContain("hunter2");
  expect(internet.dials).toEqual([]);
});

test("WB5 quotes, brackets and punctuation around a URL are removed", async () => {
  await using internet = await openInternet((request, response) => response.end(request.url));
  const names = { "example.com": ["93.184.216.34"] };
  for (const text of [
    "<http://example.com/a>",
    "`http://example.com/a`.",
    '"http://example.com/a",',
    "http://example.com/a)",
    "http://example.com/a_(b)",
  ])
    await internet.fetch(text, { names });
  expect(internet.requests).toEqual([...Array.from({ length: 4 }, () => "GET example.com/a"), "GET example.com/a_(b)"]);
});

test("R113 WB1 five redirects are followed, a key does not follow to another host", async () => {
  const keys: (string | undefined)[] = [];
  await using internet = await openInternet((request, response) => {
    keys.push(request.headers["x-key"] as string | undefined); // a single header is a string
    const step = Number(request.url?.slice(1));
    const next = step === 1 ? "http://other.test/2" : `/${step + 1}`;
    if (step === 5) response.end("arrived");
    else response.writeHead(302, { location: next }).end();
  });
  const names = { "pub.test": ["93.184.216.34"], "other.test": ["1.1.1.1"] };
  const result = await internet.fetch("http://pub.test/0", { names }, { headers: { "x-key": "k" } });
  expect(result).toMatchObject({ status: "ok", response: { url: "http://other.test/5", status: 200 } });
  expect(keys).toEqual(["k", "k", undefined, undefined, undefined, undefined]);
});

test("R113 WB1 safe-fetch/MAX_REDIRECTS the sixth redirect is refused, and so is one of a request with a body; nothing but http and https is dialed", async () => {
  await using internet = await openInternet((request, response) => {
    const step = Number(request.url?.slice(1));
    if (step === 7) response.end("arrived");
    else response.writeHead(307, { location: `/${step + 1}` }).end();
  });
  const names = { "pub.test": ["93.184.216.34"] };
  expect((await internet.fetch("http://pub.test/1", { names })).status).toBe("refused");
  expect(internet.requests).toHaveLength(6);
  expect((await internet.fetch("http://pub.test/6", { names }, { method: "POST", body: "x" })).status).toBe("refused");
  expect(internet.requests).toHaveLength(7);
  expect((await internet.fetch("ftp://pub.test/7", { names })).status).toBe("refused");
  expect(internet.dials).toHaveLength(7);
});

test("WB6 a body is cut at 5 MB, and at 20 MB after decompression", async () => {
  const bomb = gzipSync(Buffer.alloc(64 * 1024 * 1024));
  await using internet = await openInternet((request, response) => {
    if (request.url === "/bomb") return void response.writeHead(200, { "content-encoding": "gzip" }).end(bomb);
    const chunk = Buffer.alloc(1024 * 1024, 120);
    const more = (): void => {
      while (response.write(chunk)) if (response.destroyed) return;
    };
    response.on("drain", more);
    more();
  });
  const names = { "pub.test": ["93.184.216.34"] };
  const endless = await internet.fetch("http://pub.test/endless", { names });
  expect(endless).toMatchObject({ status: "ok", response: { isCut: true, body: { length: 5 * 1024 * 1024 } } });
  const inflated = await internet.fetch("http://pub.test/bomb", { names });
  expect(inflated).toMatchObject({ status: "ok", response: { isCut: true, body: { length: 20 * 1024 * 1024 } } });
});

test.each([
  ["a body that never ends", (response: http.ServerResponse) => void response.writeHead(200).write("a")],
  ["headers that never come", () => undefined],
])("WB6 %s ends after 30 s", async (_, answer) => {
  const asked = Promise.withResolvers<void>();
  await using internet = await openInternet((__, response) => {
    answer(response);
    asked.resolve();
  });
  const clock = fakeClock();
  const result = internet.fetch("http://pub.test/", { clock, names: { "pub.test": ["93.184.216.34"] } }).catch(String);
  await asked.promise;
  await clock.advance(30_000);
  expect(await result).toContain("did not arrive within 30 s");
});

test.each([
  ["a name that is never resolved", "http://hang.test/"],
  ["a body that never ends", "http://93.184.216.34/"],
])(
  "R113 who waits for %s no longer is given the own reason for it, and nothing is waited for any more",
  async (_, url) => {
    const asked = Promise.withResolvers<void>();
    await using internet = await openInternet((__, response) => {
      response.writeHead(200).write("a");
      asked.resolve();
    });
    const clock = fakeClock();
    const stop = new AbortController();
    const resolve = (): Promise<never> => {
      asked.resolve();
      return new Promise(() => undefined);
    };
    const result = internet.fetch(url, { clock, resolve }, {}, stop.signal).catch((error: unknown) => error);
    await asked.promise;
    const reason = new Error("the person stopped the turn");
    stop.abort(reason);
    expect(await result).toBe(reason);
    expect(clock.pending()).toEqual([]);
  },
);

test("R113 an answer leaves nothing that waits for its 30 s", async () => {
  await using internet = await openInternet((_, response) => response.end("short"));
  const clock = fakeClock();
  await internet.fetch("http://93.184.216.34/", { clock });
  expect(clock.pending()).toEqual([]);
});

test("WB6 a megabyte of headers is an error, not memory", async () => {
  await using internet = await openInternet((_, response) =>
    response.writeHead(200, { "x-long": "x".repeat(1024 * 1024) }).end(),
  );
  await expect(internet.fetch("http://pub.test/", { names: { "pub.test": ["93.184.216.34"] } })).rejects.toThrow(
    "could not be reached",
  );
});

test("WB10 proxy variables of the environment are ignored", async () => {
  await using internet = await openInternet((_, response) => response.end("direct"));
  const before = process.env["HTTP_PROXY"];
  process.env["HTTP_PROXY"] = "http://127.0.0.1:9";
  try {
    expect(await internet.fetch("http://pub.test/", { names: { "pub.test": ["93.184.216.34"] } })).toMatchObject({
      status: "ok",
    });
  } finally {
    if (before === undefined) delete process.env["HTTP_PROXY"];
    else process.env["HTTP_PROXY"] = before;
  }
  expect(internet.requests).toEqual(["GET pub.test/"]);
});

test("R113 the next address of a host is tried when one does not answer", async () => {
  await using internet = await openInternet((_, response) => response.end("second"));
  const closed = net.createServer();
  await new Promise<void>((resolve) => closed.listen(0, "127.0.0.1", resolve));
  const { port } = closed.address() as AddressInfo;
  await new Promise((resolve) => closed.close(resolve));
  const dials: string[] = [];
  const open = (address: string): net.Socket => {
    dials.push(address);
    return net.connect(address === "1.1.1.1" ? port : Number(internetPort), "127.0.0.1");
  };
  const probe = http.createServer((_, response) => response.end("second"));
  await new Promise<void>((resolve) => probe.listen(0, "127.0.0.1", resolve));
  const internetPort = (probe.address() as AddressInfo).port;
  const result = await internet.fetch("http://pub.test/", {
    names: { "pub.test": ["1.1.1.1", "8.8.8.8"] },
    connect: open,
  });
  await new Promise((resolve) => probe.close(resolve));
  expect(result).toMatchObject({ status: "ok" });
  expect(dials).toEqual(["1.1.1.1", "8.8.8.8"]);
});
