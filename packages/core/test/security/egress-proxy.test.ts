// The way out of the sandbox, attacked over its real socket; the upstream stands for every public address.
import fs from "node:fs";
import net, { type AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import { expect, test } from "vitest";
import { systemClock } from "../../src/machine/system/clock.ts";
import { isEgressEntry } from "../../src/machine/egress/hosts.ts";
import { EGRESS_LIMITS, type EgressAttempt } from "../../src/machine/egress/proxy.ts";
import { openEgressDoor } from "../../src/machine/egress/door.ts";
import { fakeClock } from "../../src/testing/fake-clock.ts";

interface Outside extends AsyncDisposable {
  readonly path: string;
  /** Addresses that were dialed. */
  readonly dials: string[];
  /** Heads as the upstream got them, byte for byte. */
  readonly received: string[];
  readonly attempts: EgressAttempt[];
  hosts: readonly string[];
  /** Resolves when a connection to the upstream has ended. */
  readonly ended: Promise<void>;
  /** Sends bytes to the proxy and reads until it closes. */
  say(...pieces: readonly string[]): Promise<string>;
}

const PUBLIC = "93.184.216.34";
const NAMES: Readonly<Record<string, readonly string[]>> = {
  "listed.test": [PUBLIC],
  "a.wild.test": [PUBLIC],
  "wild.test": [PUBLIC],
  "loop.test": ["127.0.0.1"],
  "metadata.test": ["169.254.169.254"],
  "mixed.test": [PUBLIC, "10.0.0.1"],
  "own.test": ["198.100.1.1"],
  "other.test": [PUBLIC],
};

interface OutsideOptions {
  readonly clock?: ReturnType<typeof fakeClock>;
  /** What the upstream says before it closes. */
  readonly answer?: string;
  /** Instead of a connection to the upstream. */
  readonly dial?: () => net.Socket;
}

async function outside(options: OutsideOptions = {}): Promise<Outside> {
  const received: string[] = [];
  const ended = Promise.withResolvers<void>();
  const upstream = net.createServer((socket) => {
    socket.on("error", () => undefined);
    socket.once("close", () => ended.resolve());
    socket.once("data", (bytes) => {
      received.push(bytes.toString("latin1"));
      socket.end(options.answer ?? "HTTP/1.1 200 OK\r\ncontent-length: 2\r\n\r\nhi");
    });
  });
  await new Promise<void>((resolve) => upstream.listen(0, "127.0.0.1", resolve));
  const { port } = upstream.address() as AddressInfo;
  const dials: string[] = [];
  const attempts: EgressAttempt[] = [];
  const directory = fs.mkdtempSync(join(tmpdir(), "margay-egress-"));
  const resolved: Record<string, number> = {};
  const made: { hosts: readonly string[] } = {
    hosts: [
      "listed.test",
      "*.wild.test",
      "loop.test",
      "metadata.test",
      "mixed.test",
      "own.test",
      "rebind.test",
      "git.test:22",
    ],
  };
  const socket = await openEgressDoor({
    directory: join(directory, "egress"),
    clock: options.clock ?? systemClock(),
    hosts: () => made.hosts,
    record: (attempt) => attempts.push(attempt),
    resolve: async (host) => {
      const name = host.replace(/\.$/, "");
      resolved[name] = (resolved[name] ?? 0) + 1;
      if (name === "rebind.test") return resolved[name] === 1 ? [PUBLIC] : ["127.0.0.1"];
      return NAMES[name] ?? [];
    },
    ownNetworks: () => ["198.100.1.1/24"],
    connect: (address, wanted) => {
      dials.push(`${address}:${wanted}`);
      return options.dial?.() ?? net.connect(port, "127.0.0.1");
    },
  });
  const { path } = socket;
  return {
    path,
    dials,
    received,
    attempts,
    ended: ended.promise,
    get hosts() {
      return made.hosts;
    },
    set hosts(hosts) {
      made.hosts = hosts;
    },
    say: (...pieces) =>
      new Promise((resolve) => {
        const near = net.connect(path);
        let answer = "";
        near.on("error", () => undefined);
        near.on("data", (bytes) => {
          answer += bytes.toString("latin1");
          const next = rest.shift();
          if (next !== undefined) near.write(next, "latin1");
        });
        near.once("close", () => resolve(answer));
        const [first = "", ...rest] = pieces;
        near.write(first, "latin1");
      }),
    [Symbol.asyncDispose]: async () => {
      await socket[Symbol.asyncDispose]();
      await new Promise((resolve) => upstream.close(resolve));
      expect(fs.readdirSync(join(directory, "egress"))).toEqual([]);
      fs.rmSync(directory, { recursive: true });
    },
  };
}

const connect = (target: string): string => `CONNECT ${target} HTTP/1.1\r\nHost: ${target}\r\n\r\n`;
const get = (url: string, more = ""): string => `GET ${url} HTTP/1.1\r\nHost: listed.test\r\n${more}\r\n`;
const status = (answer: string): string => answer.slice(0, 12);

test("who reads late gets all that a server sent before it closed", async () => {
  const established = "HTTP/1.1 200 Connection established\r\n\r\n".length;
  // Of some of these sizes the end waits in the proxy, behind what the system takes for a socket.
  for (let length = 64_000; length <= 640_000; length += 32_000) {
    await using way = await outside({ answer: "x".repeat(length) });
    let read = 0;
    const near = net.connect(way.path);
    near.on("error", () => undefined);
    near.on("data", (bytes) => (read += bytes.length));
    near.write(connect("listed.test:443"));
    await new Promise((resolve) => near.once("data", resolve));
    near.pause();
    near.write("go");
    for (let turn = 0; turn < 300; turn += 1) await new Promise((resolve) => void setImmediate(resolve));
    near.resume();
    await new Promise((resolve) => near.once("close", resolve));
    expect(read).toBe(established + length);
  }
});

test("who goes in the middle of a download takes the connection to the server along", async () => {
  await using way = await outside({ answer: "x".repeat(50_000_000) });
  const near = net.connect(way.path);
  near.on("data", () => near.write("go"));
  near.write(connect("listed.test:443"));
  await new Promise((resolve) => near.once("data", resolve));
  await new Promise((resolve) => near.once("data", resolve));
  near.destroy();
  await way.ended;
});

test("a listed host is reached by CONNECT and by an absolute address, at the address that was checked", async () => {
  await using way = await outside();
  expect(await way.say(connect("listed.test:443"), "anything")).toMatch(/^HTTP\/1\.1 200 .*hi$/s);
  expect(status(await way.say(get("http://listed.test/a?b=1")))).toBe("HTTP/1.1 200");
  expect(status(await way.say(get("http://A.WILD.test./")))).toBe("HTTP/1.1 200");
  expect(status(await way.say(connect("git.test:22")))).toBe("HTTP/1.1 403"); // does not resolve; its port is listed
  expect(way.dials).toEqual([`${PUBLIC}:443`, `${PUBLIC}:80`, `${PUBLIC}:80`]);
  expect(way.received[0]).toBe("anything");
  expect(way.received[1]).toMatch(/^GET \/a\?b=1 HTTP\/1\.1\r\n/);
  expect(way.attempts.map(({ host, port, allowed }) => [host, port, allowed])).toEqual([
    ["listed.test", 443, true],
    ["listed.test", 80, true],
    ["a.wild.test", 80, true],
    ["git.test", 22, false],
  ]);
});

const ATTACKS: readonly (readonly [string, string])[] = [
  ["an unlisted name", connect("other.test:443")],
  ["an unlisted name in plain", get("http://other.test/")],
  ["the apex of a wildcard", connect("wild.test:443")],
  ["a name that only ends like a listed one", connect("evillisted.test:443")],
  ["a listed name as a label", connect("listed.test.other.test:443")],
  ["a listed name of 127.0.0.1", connect("loop.test:443")],
  ["a listed name of the metadata service", get("http://metadata.test/latest/meta-data/")],
  ["a listed name with one private address", connect("mixed.test:443")],
  ["a listed name of this machine's own public address", connect("own.test:443")],
  ["a name with a NUL", connect("other.test\0.listed.test:443")],
  ["a name with an encoded NUL", get("http://other.test%00.wild.test/")],
  ["a backslash in the authority", get("http://other.test\\@listed.test/")],
  ["a user before the host", get("http://listed.test@other.test/")],
  ["a user that looks like the host, for CONNECT", connect("listed.test@other.test:443")],
  ["an address", connect("93.184.216.34:443")],
  ["an address of IPv6", connect("[2606:4700::1111]:443")],
  ["an address in one number", connect("2130706433:443")],
  ["an address in hex", get("http://0x7f.1/")],
  ["localhost", connect("localhost:443")],
  ["CONNECT to another port", connect("listed.test:25")],
  ["a plain request to another port", get("http://listed.test:6379/")],
  ["another port than the one of the entry", connect("git.test:443")],
  ["port 0", connect("listed.test:0")],
  ["a port beyond 65535", connect("listed.test:66043")],
  ["CONNECT without a port", connect("listed.test")],
  ["a request in origin form, by its Host", get("/")],
  ["https as an absolute address", get("https://listed.test/")],
  ["another scheme", get("ftp://listed.test/")],
  ["a full-width dot", get("http://other.test\u00ff.wild.test/")],
  [
    "both lengths at once",
    `POST http://listed.test/ HTTP/1.1\r\nHost: x\r\nContent-Length: 4\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n`,
  ],
  [
    "an odd transfer encoding",
    `POST http://listed.test/ HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: xchunked\r\nContent-Length: 4\r\n\r\nabcd`,
  ],
  [
    "two lengths",
    `POST http://listed.test/ HTTP/1.1\r\nHost: x\r\nContent-Length: 4\r\nContent-Length: 5\r\n\r\nabcde`,
  ],
  ["a folded header", get("http://listed.test/", "X: a\r\n b: c\r\n")],
  ["a space before the colon", get("http://listed.test/", "Transfer-Encoding : chunked\r\n")],
  ["a lone CR", get("http://listed.test/", "X: a\rEvil: b\r\n")],
  ["17 KiB of headers", get("http://listed.test/", `X: ${"x".repeat(EGRESS_LIMITS.headerBytes + 1024)}\r\n`)],
  ["no HTTP at all", "\u0005\u0001\u0000\u0005\u0001\u0000\u0003\u000blisted.test\u0001\u00bb"],
];

test.each(ATTACKS)("%s is dialed nowhere", async (_, bytes) => {
  await using way = await outside();
  expect(await way.say(bytes)).not.toContain(" 200 ");
  expect(way.dials).toEqual([]);
  expect(way.attempts.filter(({ allowed }) => allowed)).toEqual([]);
});

test("an empty list is no way at all where nobody is asked", async () => {
  await using way = await outside();
  way.hosts = [];
  expect(await way.say(connect("listed.test:443"))).toContain("not on the operator's list");
  expect(way.dials).toEqual([]);
});

test("a name that is bound anew is checked anew, and what was checked is what is dialed", async () => {
  await using way = await outside();
  expect(status(await way.say(get("http://rebind.test/")))).toBe("HTTP/1.1 200");
  expect(status(await way.say(get("http://rebind.test/")))).toBe("HTTP/1.1 403");
  expect(way.dials).toEqual([`${PUBLIC}:80`]);
});

test("the upstream is told the host that was checked, and nothing that was for the proxy", async () => {
  await using way = await outside();
  const odd =
    "Proxy-Authorization: Basic eA==\r\nConnection: x-hop, close\r\nX-Hop: 1\r\nUpgrade: websocket\r\nX-End: 2\r\n";
  await way.say(`GET http://listed.test/ HTTP/1.1\r\nHost: internal.other.test\r\n${odd}\r\n`);
  const [head = ""] = way.received;
  expect(head.split("\r\n").filter(Boolean).sort()).toEqual(
    ["GET / HTTP/1.1", "connection: close", "host: listed.test", "x-end: 2"].sort(),
  );
});

test("a second request hidden in a body arrives as that body, in our framing", async () => {
  await using way = await outside();
  const hidden = "GET http://other.test/ HTTP/1.1\r\nHost: other.test\r\n\r\n";
  await way.say(
    `POST http://listed.test/ HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n${hidden.length.toString(16)};x=\r\n${hidden}\r\n0\r\n\r\n`,
  );
  expect(way.dials).toEqual([`${PUBLIC}:80`]);
  // And one that follows its request is a request of its own, to be checked.
  await way.say(`${get("http://listed.test/1")}${get("http://other.test/2")}`);
  expect(way.attempts.filter(({ allowed }) => allowed).map(({ host }) => host)).toEqual(["listed.test", "listed.test"]);
  expect(way.received.join("")).not.toContain("/2");
});

test("a flood is refused and fills no log", async () => {
  const clock = fakeClock();
  await using way = await outside({ clock });
  const many = Array.from({ length: EGRESS_LIMITS.perMinute + 20 }, (_, at) => at);
  for (const _ of many) await way.say(connect("other.test:443"));
  expect(way.attempts.length).toBe(EGRESS_LIMITS.perMinute);
  expect(status(await way.say(connect("listed.test:443")))).toBe("HTTP/1.1 429");
  await clock.advance(59_999); // the rest of its minute
  expect(status(await way.say(connect("listed.test:443"), "x"))).toBe("HTTP/1.1 429");
  await clock.advance(1);
  expect(await way.say(connect("listed.test:443"), "x")).toContain(" 200 ");
});

test("the socket is for its owner only", async () => {
  await using way = await outside();
  expect((fs.statSync(way.path).mode & 0o777).toString(8)).toBe("600");
  expect((fs.statSync(join(way.path, "..")).mode & 0o777).toString(8)).toBe("700");
});

test("a list names hosts, never addresses and never everything", () => {
  const good = ["example.com", "*.example.com", "example.com:8443", "*.example.com:22", "localhost", "Example.COM"];
  const bad = [
    "*",
    "*.com",
    "127.0.0.1",
    "0x7f.1",
    "1.2.3.4:80",
    "[::1]",
    "::1",
    "a..b",
    "example.com:0",
    "example.com:99999",
  ];
  const worse = [
    "https://example.com",
    "example.com/x",
    "a*.example.com",
    "*.*.example.com",
    "ex ample.com",
    "",
    "a\0.b",
    "例子.com",
  ];
  expect(good.filter((entry) => !isEgressEntry(entry))).toEqual([]);
  expect([...bad, ...worse].filter(isEgressEntry)).toEqual([]);
});

test("a connection that came to nothing is forgotten", async () => {
  setFlagsFromString("--expose-gc");
  const collect = runInNewContext("gc") as () => void; // what the flag adds
  const sockets: WeakRef<net.Socket>[] = [];
  await using way = await outside({
    dial: () => {
      const socket = new net.Socket();
      sockets.push(new WeakRef(socket));
      setImmediate(() => socket.destroy(Object.assign(new Error("refused"), { code: "ECONNREFUSED" })));
      return socket;
    },
  });
  for (let n = 0; n < 20; n++) expect(status(await way.say(connect("listed.test:443")))).toBe("HTTP/1.1 502");
  expect(sockets).toHaveLength(20);
  await expect
    .poll(() => {
      collect();
      return sockets.filter((socket) => socket.deref() !== undefined).length;
    })
    .toBeLessThan(3);
});
