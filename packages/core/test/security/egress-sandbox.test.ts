// `exec` in the real sandbox with a list of hosts: programs find the proxy, and nothing else.
import { expect, test } from "vitest";
import { confined } from "./confined.ts";

/** The forwarder's. */
const NODE = "/run/node";

test("curl, wget and fetch of Node.js reach a listed host through the proxy, and each connection is recorded", async () => {
  const { run, attempts, dials } = await confined(["listed.test"]);
  expect(await run("curl -sS http://listed.test/ && wget -qO- http://listed.test/")).toContain("outsideoutside");
  expect(await run(`${NODE} -e 'fetch("http://listed.test/").then((r) => r.text()).then(console.log)'`)).toContain(
    "outside",
  );
  expect(attempts.map(({ host, allowed }) => [host, allowed])).toEqual(
    Array.from({ length: 3 }, () => ["listed.test", true]),
  );
  expect(new Set(dials)).toEqual(new Set(["93.184.216.34:80"]));
});

test("another host, a private address, and whoever goes around the proxy reach nothing", async () => {
  const { run, dials, attempts, port } = await confined(["listed.test", "loop.test"]);
  const tries = [
    "curl -sS -m 5 http://other.test/",
    "curl -sS -m 5 http://loop.test/",
    "curl -sS -m 5 https://other.test/",
    `curl -sS -m 5 http://127.0.0.1:${port}/`,
    `curl -sS -m 5 --noproxy '*' http://127.0.0.1:${port}/`,
    "curl -sS -m 5 --noproxy '*' http://93.184.216.34/",
    "curl -sS -m 5 --unix-socket /run/egress.sock http://other.test/",
    "curl -sS -m 5 -x http://127.0.0.1:18080 -p http://listed.test:22/",
    "curl -sS -m 5 -H 'Host: listed.test' http://other.test/",
  ];
  for (const command of tries)
    expect([command, await run(command)]).not.toEqual([command, expect.stringMatching(/^outside/)]);
  expect(dials).toEqual([]);
  expect(attempts.some(({ allowed }) => allowed)).toBe(false);
});

test("a command may not put something else in the proxy's place, and its own loopback stays its own", async () => {
  const { run, dials } = await confined(["listed.test"]);
  expect(await run("rm -f /run/egress.sock && echo gone")).not.toMatch(/^gone/m);
  const server = `${NODE} -e 'require("node:http").createServer((q,r)=>r.end("mine")).listen(3999,()=>fetch("http://127.0.0.1:3999").then((r)=>r.text()).then((t)=>{console.log(t);process.exit()}))'`;
  expect(await run(server)).toContain("mine");
  expect(dials).toEqual([]);
});

test("SC26 without network there is no proxy, no variable, no socket and no forwarder", async () => {
  const { run: start, dials, doors } = await confined(["listed.test"]);
  const run = (command: string): Promise<string> => start(command, { network: false });
  expect(await run("cat /proc/[0-9]*/cmdline | tr '\\0' ' '; ls /run")).not.toMatch(/createServer|node/);
  expect(doors()).toEqual([]);
  expect(await run("env | grep -i '^https\\?_proxy=http://127' ; ls /run/egress.sock")).not.toMatch(
    /proxy=http:\/\/127|^\/run/m,
  );
  expect(await run("curl -sS -m 5 --noproxy '*' http://listed.test/")).not.toContain("outside");
  expect(dials).toEqual([]);
});

test.each([
  ["another host", "http://other.test/stolen"],
  ["a private address", "http://10.0.0.1/"],
  ["a listed name of a private address", "http://loop.test/"],
  ["another port", "http://listed.test:6379/"],
  ["another scheme", "gopher://listed.test:80/_x"],
])("a listed host redirects to %s: that is asked for anew, and refused", async (_, location) => {
  const answer = `HTTP/1.1 302 Found\r\nlocation: ${location}\r\ncontent-length: 0\r\n\r\n`;
  const { run, dials, attempts } = await confined(["listed.test", "loop.test"], answer);
  await run("curl -sSL -m 5 --proto-redir all http://listed.test/start");
  expect(dials).toEqual(["93.184.216.34:80"]);
  expect(attempts.filter(({ allowed }) => allowed)).toHaveLength(1);
});
