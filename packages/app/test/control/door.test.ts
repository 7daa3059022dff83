// The control door as people meet it: the real program, a real gateway, several terminals beside it, and what a crash leaves.
import { existsSync, mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { createServer } from "node:net";
import { join } from "node:path";
import { stalls } from "@margay/core/internal/testing";
import { startMockModel, says } from "@margay/core/testing";
import { expect, onTestFinished, test } from "vitest";
import { socketPath } from "../../src/host/control/socket-path.ts";
import { openLink } from "../../src/host/control/terminal-client.ts";
import { OPERATOR } from "../../src/host/operator.ts";
import { openAgent } from "../../src/index.ts";
import { margay, modelConfig, type Margay } from "../cli/harness.ts";
import { start, startGateway } from "../durability/running.ts";
import { startInTerminal } from "../tui/support.ts";

const BIN = join(import.meta.dirname, "../../bin/margay.js");

async function place(): Promise<{ readonly app: Margay; readonly model: Awaited<ReturnType<typeof startMockModel>> }> {
  const model = await startMockModel({ rules: "off" });
  onTestFinished(() => model.close());
  const app = margay();
  app.configure(modelConfig(model.url));
  return { app, model };
}

test("R421 agent -m beside a running gateway answers in the same conversation, with the output and the exit codes of one alone", async () => {
  const { app, model } = await place();
  model.replies(...Array.from({ length: 4 }, () => says("pong")));
  const alone = start(app, {}, "agent", "-m", "ping");
  expect(await alone.ended).toBe(0);
  const gateway = await startGateway(app);
  const beside = start(app, {}, "agent", "-m", "ping");
  expect(await beside.ended).toBe(0);
  expect(beside.out()).toBe(alone.out());
  expect(beside.err()).toBe(alone.err());
  expect(model.requests).toHaveLength(2);
  // The second request holds the first question: it is one conversation.
  expect(JSON.stringify(model.requests[1]?.body)).toContain("pong");
  const wrong = start(app, {}, "agent", "-m", "ping", "--image", "nothing.png");
  expect(await wrong.ended).toBe(2);
  gateway.kill("SIGTERM");
  expect(await gateway.ended).toBe(0);
  expect(readdirSync(join(app.home, "control"))).toEqual([]);
}, 60_000);

test("R421 sessions fork, import and delete beside a gateway do what they do alone", async () => {
  const { app, model } = await place();
  model.replies(says("pong"));
  expect(await start(app, {}, "agent", "-m", "ping").ended).toBe(0);
  const file = join(app.directory, "old.jsonl");
  const exported = start(app, {}, "sessions", "export", "cli:direct");
  await exported.ended;
  writeFileSync(file, exported.out());
  const lines: readonly (readonly string[])[] = [
    ["sessions", "fork", "cli:direct", "cli:fork"],
    ["sessions", "fork", "cli:direct", "cli:fork"], // it is there
    ["sessions", "show", "cli:fork"],
    ["sessions", "import", file, "--key", "cli:copy"],
    ["sessions", "import", file, "--key", "cli:copy"], // it is not empty
    ["sessions", "import", file, "--key", "cli:copy", "--lang", "zh-CN"],
    ["sessions", "delete", "cli:fork", "--yes"],
    ["sessions", "delete", "cli:copy", "--yes", "--json"],
    ["sessions", "delete", "cli:copy", "--yes"], // it is gone
  ];
  const ran = async (): Promise<readonly object[]> => {
    const results: object[] = [];
    for (const line of lines) {
      const one = start(app, {}, ...line);
      results.push({ line, code: await one.ended, out: one.out(), err: one.err() });
    }
    return results;
  };
  const alone = await ran();
  expect(alone.map((one) => (one as { readonly code: number }).code)).toEqual([0, 1, 0, 0, 1, 1, 0, 0, 1]);
  const gateway = await startGateway(app);
  expect(await ran()).toEqual(alone);
  gateway.kill("SIGTERM");
  expect(await gateway.ended).toBe(0);
}, 90_000);

test("R421 commands work beside a program that embeds the agent, and its end closes the door", async () => {
  const { app, model } = await place();
  model.replies(...Array.from({ length: 4 }, () => says("pong")));
  {
    await using opened = await openAgent({ home: app.home });
    expect((await opened.agent.send("cli:direct", "ping").finished).text).toBe("pong");
    const beside = start(app, {}, "agent", "-m", "ping");
    expect(await beside.ended).toBe(0);
    expect(beside.out()).toContain("pong");
    const shown = start(app, {}, "sessions", "fork", "cli:direct", "cli:fork");
    expect([await shown.ended, shown.err()]).toEqual([0, ""]);
  }
  expect(readdirSync(join(app.home, "control"))).toEqual([]);
  expect(await start(app, {}, "agent", "-m", "ping").ended).toBe(0);
}, 60_000);

test("R421 the door is for its owner alone, also where the path of the state directory is too long for a socket", async () => {
  const { app, model } = await place();
  model.replies(...Array.from({ length: 4 }, () => says("pong")));
  const long = { ...app, home: join(app.directory, "a".repeat(60), "b".repeat(60)) };
  mkdirSync(long.home, { recursive: true, mode: 0o700 });
  writeFileSync(join(long.home, "config.json"), JSON.stringify(modelConfig(model.url)), { mode: 0o600 });
  for (const one of [app, long]) {
    const gateway = await startGateway(one);
    const control = join(one.home, "control");
    const elsewhere = existsSync(join(control, "address"));
    expect(elsewhere).toBe(one === long);
    const path = elsewhere ? readFileSync(join(control, "address"), "utf8").trim() : join(control, "socket");
    expect(statSync(path).mode & 0o777).toBe(0o600);
    expect(statSync(join(path, "..")).mode & 0o777).toBe(0o700);
    const beside = start(one, {}, "agent", "-m", "ping");
    expect(await beside.ended).toBe(0);
    expect(beside.out()).toContain("pong");
    gateway.kill("SIGTERM");
    expect(await gateway.ended).toBe(0);
    expect(existsSync(path)).toBe(false);
  }
}, 60_000);

test("R421 an answer that comes while its gateway ends is on the screen once", async () => {
  const { app, model } = await place();
  const held = stalls({ rest: says("late answer") });
  model.replies(held);
  const gateway = await startGateway(app);
  const beside = start(app, {}, "agent", "-m", "take your time");
  await expect.poll(() => model.requests.length, { timeout: 20_000 }).toBe(1);
  gateway.kill("SIGTERM");
  await expect.poll(() => existsSync(join(app.home, "gateway.json"))).toBe(false); // it is ending
  held.release();
  expect(await beside.ended).toBe(0);
  expect(beside.out()).toBe("late answer\n");
  expect(await gateway.ended).toBe(0);
  expect(model.requests).toHaveLength(1);
}, 60_000);

test("R421 what a killed process leaves is no door: the next command takes the lock and answers", async () => {
  const { app, model } = await place();
  model.replies(...Array.from({ length: 4 }, () => says("pong")));
  const gateway = await startGateway(app);
  gateway.kill("SIGKILL");
  await gateway.ended;
  expect(existsSync(join(app.home, "control", "socket"))).toBe(true);
  const next = start(app, {}, "agent", "-m", "ping");
  expect(await next.ended).toBe(0);
  expect(next.out()).toContain("pong");
  const again = await startGateway(app);
  const beside = start(app, {}, "agent", "-m", "ping");
  expect(await beside.ended).toBe(0);
  again.kill("SIGTERM");
  await again.ended;
}, 60_000);

/** `kill -9` at the moment when the system has made a socket, before anything else is done to it. */
const DIES_BINDING = `data:text/javascript,import { Server } from "node:net"; const { listen } = Server.prototype; Server.prototype.listen = function (...given) { listen.apply(this, given); if (typeof given[0] === "string") process.kill(process.pid, "SIGKILL"); return this; };`;

test("R421 the door is its owner's alone from the moment it is made: what is killed there leaves none that others may open", async () => {
  const { app } = await place();
  const by = ["/bin/sh", "-c", 'umask 022; exec "$@"', "sh", "env", `NODE_OPTIONS=--import=${encodeURI(DIES_BINDING)}`];
  expect(await start(app, { by }, "gateway", "--port", "0", "--no-open").ended).toBe("SIGKILL");
  expect(statSync(join(app.home, "control", "socket")).mode & 0o077).toBe(0);
}, 60_000);

test("R421 a holder that does not answer within two seconds is said, with exit code 75", async () => {
  const { app } = await place();
  const gateway = await startGateway(app);
  gateway.kill("SIGSTOP");
  const before = Date.now();
  const beside = start(app, {}, "agent", "-m", "ping");
  expect(await beside.ended).toBe(75);
  expect(Date.now() - before).toBeGreaterThan(1900);
  expect(beside.err()).toContain("[state.locked]");
  gateway.kill("SIGCONT");
}, 60_000);

test("R421 whatever stands where the door belongs is replaced by the holder of the lock", async () => {
  const { app } = await place();
  mkdirSync(join(app.home, "control"), { recursive: true, mode: 0o700 });
  const deaf = createServer();
  await new Promise<void>((resolve) => deaf.listen(join(app.home, "control", "socket"), resolve));
  onTestFinished(() => new Promise((resolve) => deaf.close(() => resolve())));
  const gateway = await startGateway(app);
  // The holder of the lock removed what was there.
  const beside = start(app, {}, "cron", "list");
  expect(await beside.ended).toBe(0);
  gateway.kill("SIGTERM");
  await gateway.ended;
}, 60_000);

test("R421 two terminals beside one gateway see the same conversation live, and leaving one ends nothing", async () => {
  const { app, model } = await place();
  model.replies(...Array.from({ length: 4 }, () => says("the answer is forty-two")));
  const gateway = await startGateway(app);
  const chat = ["agent", "--session", "cli:direct"];
  const command = ["env", `HOME=${app.directory}`, process.execPath, BIN, "--home", app.home, ...chat];
  await using one = startInTerminal({ directory: app.directory }, () => command);
  await using two = startInTerminal({ directory: app.directory }, () => command);
  await one.shows("New conversation");
  await two.shows("New conversation");
  one.type("what is it?");
  one.press("Enter");
  await one.shows("forty-two");
  await two.shows("what is it?");
  await two.shows("forty-two");
  one.press("C-d");
  two.type("and again?");
  two.press("Enter");
  await expect.poll(() => model.requests.length, { timeout: 20_000 }).toBe(2);
  gateway.kill("SIGTERM");
  expect(await gateway.ended).toBe(0);
}, 90_000);

test("R421 a conversation is forgotten as unused where it is held, and only when nothing was said in it", async () => {
  const { app, model } = await place();
  model.replies(says("pong"));
  await startGateway(app);
  using link = await openLink(socketPath(join(app.home, "control")) ?? "", AbortSignal.timeout(20_000));
  await link.attach();
  const forget = (key: string): Promise<unknown> =>
    link.ask("operation", { name: "sessions.forgetUnused", input: { key } });
  const origin = { channel: "cli", chat: "new" };
  await link.agent.sessions.open("cli:unused", origin);
  await link.agent.sessions.open("cli:used", origin);
  const asked = { session: "cli:used", parts: [{ type: "text", text: "ping" }], origin } as const;
  expect((await link.send(asked)).text).toBe("pong");
  expect(await forget("cli:used")).toBe(false);
  expect(await forget("cli:unused")).toBe(true);
  expect(await forget("cli:unused")).toBe(false);
  // Of what a command alone was given in, something is left to see.
  await link.agent.sessions.open("cli:asked", origin);
  const command = { key: "1", origin: { channel: "cli", chat: "asked" }, from: OPERATOR, sessionKey: "cli:asked" };
  await link.agent.bus.accept({ ...command, parts: [{ type: "text", text: "/whoami" }] });
  expect(await forget("cli:asked")).toBe(false);
  expect((await link.agent.sessions.list()).map(({ key }) => key).toSorted()).toEqual(["cli:asked", "cli:used"]);
}, 60_000);
