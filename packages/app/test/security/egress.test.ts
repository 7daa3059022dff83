// Everything the program dials, seen from inside of it: the configured endpoints, and nothing else.
import { spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fakeClock, says, startMockModel } from "@margay/core/testing";
import { callsTools } from "@margay/core/internal/testing";
import { expect, onTestFinished, test } from "vitest";
import { compose } from "../../src/compose/compose.ts";
import { loadConfig } from "../../src/config/load.ts";
import { placesOf } from "../../src/config/paths.ts";
import { translator } from "../../src/texts/translate.ts";
import { runParts } from "../../src/host/run-parts.ts";
import { startReceiver } from "../channels/support.ts";
import { margay } from "../cli/harness.ts";

const MAIN = join(import.meta.dirname, "../../src/main.ts");
const HOOK = new URL("dialed-hook.mjs", import.meta.url).href;

function configOf(url: string, more: object = {}): object {
  return {
    model: "mock/mock-model",
    providers: { mock: { api: "openai-chat", baseUrl: `${url}/v1`, apiKey: "test-key-for-mock" } },
    ...more,
  };
}

function dialed(file: string): readonly string[] {
  if (!existsSync(file)) return [];
  return [...new Set(readFileSync(file, "utf8").trim().split("\n").filter(Boolean))].toSorted();
}

interface Ran {
  readonly dialed: readonly string[];
  readonly out: string;
}

/** The program itself, from its first line to its end. */
async function run(
  home: string,
  directory: string,
  argv: readonly string[],
  env: Record<string, string> = {},
): Promise<Ran> {
  const file = join(directory, `dialed-${Math.random().toString(36).slice(2)}`);
  const child = spawn(process.execPath, ["--import", HOOK, "--conditions=margay-source", MAIN, ...argv], {
    env: { PATH: process.env["PATH"], HOME: directory, MARGAY_HOME: home, MARGAY_DIALED: file, NO_COLOR: "1", ...env },
    stdio: ["ignore", "pipe", "pipe"],
  });
  let out = "";
  for (const stream of [child.stdout, child.stderr]) stream.on("data", (bytes: Buffer) => (out += bytes.toString()));
  await once(child, "close");
  return { dialed: dialed(file), out };
}

test("a turn with tools of every kind dials the model and what a page's name resolves to, and nothing else", async () => {
  const model = await startMockModel({ rules: "off" });
  onTestFinished(() => model.close());
  const { home, directory } = margay();
  mkdirSync(home, { recursive: true, mode: 0o700 });
  const rules = [{ tool: "*", action: "allow" }];
  writeFileSync(join(home, "config.json"), JSON.stringify(configOf(model.url, { policy: { rules } })), { mode: 0o600 });
  model.replies(
    callsTools([
      { name: "write_file", args: { path: "a.txt", content: "a" } },
      { name: "read_file", args: { path: "a.txt" } },
      { name: "exec", args: { command: "cat a.txt; curl -m 2 http://127.0.0.1:9/" } },
      { name: "web_fetch", args: { url: "http://127.0.0.1:9/" } },
      { name: "web_fetch", args: { url: "http://169.254.169.254/latest/meta-data/" } },
      { name: "web_fetch", args: { url: "http://page.invalid/" } },
      { name: "remember", args: { facts: ["likes tea"] } },
    ]),
    says("done"),
  );
  const proxies = {
    HTTP_PROXY: "http://127.0.0.1:9",
    HTTPS_PROXY: "http://127.0.0.1:9",
    ALL_PROXY: "socks5://127.0.0.1:9",
    NODE_USE_ENV_PROXY: "1",
  };
  const ran = await run(home, directory, ["agent", "-m", "do it"], proxies);
  expect(ran.out).toContain("done");
  expect(model.requests.length).toBe(2);
  // The one name that is looked up is the one a tool was given, by safeFetch.
  expect(ran.dialed).toEqual(["name page.invalid", `tcp ${new URL(model.url).host}`]);
});

test.each([["status"], ["config", "list"], ["skills", "list"], ["mcp", "list"], ["usage"], ["--version"], ["--help"]])(
  "`margay %s` dials nobody",
  async (...argv) => {
    const { home, directory } = margay();
    mkdirSync(home, { recursive: true, mode: 0o700 });
    writeFileSync(join(home, "config.json"), JSON.stringify(configOf("http://127.0.0.1:9")), { mode: 0o600 });
    const ran = await run(home, directory, argv);
    expect(ran.out).not.toBe("");
    expect(ran.dialed).toEqual([]);
  },
  30_000,
);

test("`margay doctor` tries the configured provider and nobody else", async () => {
  const { home, directory } = margay();
  mkdirSync(home, { recursive: true, mode: 0o700 });
  writeFileSync(join(home, "config.json"), JSON.stringify(configOf("http://127.0.0.1:9")), { mode: 0o600 });
  expect((await run(home, directory, ["doctor"])).dialed).toEqual(["tcp 127.0.0.1:9"]);
});

test("the hook sees what it is there to see", async () => {
  const { directory } = margay();
  const file = join(directory, "dialed");
  const program = `
    import net from "node:net"; import https from "node:https"; import { lookup } from "node:dns/promises"; import dgram from "node:dgram";
    const quiet = (one) => one.on("error", () => {});
    quiet(net.connect(9, "127.0.0.1")); quiet(https.get("https://127.0.0.1:9/")); fetch("http://127.0.0.1:8/").catch(() => {});
    lookup("name.invalid").catch(() => {}); quiet(net.connect("/nowhere.sock"));
    const udp = quiet(dgram.createSocket("udp4")); udp.send("x", 9, "127.0.0.1", () => udp.close());
  `;
  const child = spawn(process.execPath, ["--import", HOOK, "--input-type=module", "-e", program], {
    env: { MARGAY_DIALED: file },
    stdio: "ignore",
  });
  await once(child, "close");
  expect(dialed(file)).toEqual(
    expect.arrayContaining([
      "name name.invalid",
      "tcp 127.0.0.1:8",
      "tcp 127.0.0.1:9",
      "udp send",
      "unix /nowhere.sock",
    ]),
  );
});

test("an idle hour with heartbeat, greeting, a job and a channel dials nobody", async () => {
  await using receiver = await startReceiver();
  const model = await startMockModel();
  onTestFinished(() => model.close());
  const { home, directory } = margay();
  const workspace = join(directory, "workspace");
  mkdirSync(workspace);
  const file = join(directory, "dialed");
  await import(HOOK);
  process.env["MARGAY_DIALED"] = file;
  onTestFinished(() => void delete process.env["MARGAY_DIALED"]);
  const clock = fakeClock(Date.UTC(2026, 10, 21, 12));
  const loaded = loadConfig({
    places: placesOf({ flag: home, env: {}, userHome: directory, currentDirectory: directory }),
    env: {},
    userHome: directory,
    t: translator("en"),
    object: {
      ...configOf(model.url),
      workspace,
      timeZone: "UTC",
      heartbeat: { enabled: true },
      greeting: { enabled: true, maxPerDay: 5 },
      channels: { webhook: { enabled: true, secret: "webhook-secret", options: { url: receiver.url, port: 0 } } },
    },
  });
  await using app = await compose({
    loaded,
    language: "en",
    env: { HOME: directory },
    clock,
    writeLog: () => undefined,
  });
  const stop = new AbortController();
  const running = Promise.all([app.agent.run(stop.signal), runParts(app.schedule.parts, app, stop.signal)]);
  const to = { channel: "webhook", chat: "ops" };
  await app.schedule.cron?.add({ message: "stand up", at: "2026-11-21T13:30:00Z", mode: "deliver", to });
  for (let minutes = 0; minutes < 60; minutes += 10) {
    await clock.waitForSleep(1);
    await clock.advance(600_000);
  }
  await app.agent.idle();
  expect(dialed(file)).toEqual([]);
  // The same process, when its job is due: the receiver and nobody else.
  for (let minutes = 0; minutes < 60; minutes += 10) {
    await clock.waitForSleep(1);
    await clock.advance(600_000);
  }
  await receiver.took(1);
  expect(dialed(file)).toEqual([`tcp ${new URL(receiver.url).host}`]);
  stop.abort(new Error("enough"));
  await running;
});
