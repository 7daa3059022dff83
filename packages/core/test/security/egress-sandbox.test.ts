// `exec` in the real sandbox with a list of hosts: programs find the proxy, and nothing else.
import net, { type AddressInfo } from "node:net";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { execTool } from "../../src/builtin/exec.ts";
import { systemClock } from "../../src/platform/clock.ts";
import type { EgressAttempt } from "../../src/platform/egress-proxy.ts";
import { openEgressSocket } from "../../src/platform/egress-socket.ts";
import { openSandbox } from "../../src/sandbox/open-sandbox.ts";
import { createMachine, textOf } from "../builtin/machine.ts";

interface Confined {
  readonly attempts: readonly EgressAttempt[];
  readonly dials: readonly string[];
  /** A port of this machine that somebody listens on. */
  readonly port: number;
  run(command: string): Promise<string>;
}

/** @param hosts `tools.exec.network`. @param answer What every address says. */
async function confined(
  hosts: readonly string[],
  answer = "HTTP/1.1 200 OK\r\ncontent-length: 7\r\n\r\noutside",
): Promise<Confined> {
  const machine = createMachine();
  const upstream = net.createServer((socket) => {
    socket.on("error", () => undefined);
    socket.once("data", () => socket.end(answer));
  });
  await new Promise<void>((resolve) => upstream.listen(0, "127.0.0.1", resolve));
  const { port } = upstream.address() as AddressInfo;
  const attempts: EgressAttempt[] = [];
  const dials: string[] = [];
  const socket = openEgressSocket({
    directory: join(machine.state, "egress"),
    clock: systemClock(),
    hosts: () => hosts,
    record: (attempt) => attempts.push(attempt),
    resolve: async (name) => (name.startsWith("loop.") ? ["127.0.0.1"] : ["93.184.216.34"]),
    connect: (address, wanted) => {
      dials.push(`${address}:${wanted}`);
      return net.connect(port, "127.0.0.1");
    },
  });
  onTestFinished(async () => {
    await socket[Symbol.asyncDispose]();
    await new Promise((resolve) => upstream.close(resolve));
    machine[Symbol.dispose]();
  });
  const { workspace, state } = machine;
  const sandbox = openSandbox({ mode: "required", workspace, state, searchPath: process.env["PATH"] ?? "" });
  const tool = execTool({
    directory: join(state, "exec"),
    environment: { ...process.env, NO_PROXY: "*", HTTP_PROXY: "http://elsewhere:1" },
    env: ["NO_PROXY", "HTTP_PROXY"],
    sandbox,
    egress: socket,
  });
  return { attempts, dials, port, run: async (command) => textOf(await machine.run(tool, { command })) };
}

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

test("without a list there is no proxy, no variable and no socket", async () => {
  const { run, dials } = await confined([]);
  expect(await run("env | grep -i '^https\\?_proxy=http://127' ; ls /run/egress.sock")).not.toMatch(
    /proxy=http:\/\/127|^\/run/m,
  );
  expect(await run("curl -sS -m 5 http://listed.test/")).not.toContain("outside");
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
