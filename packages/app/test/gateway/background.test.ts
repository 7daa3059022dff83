// `margay gateway start|status|stop|restart|logs` as people use them: real processes that outlive the command that started them.
import { once } from "node:events";
import { existsSync, mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { createServer, type AddressInfo } from "node:net";
import { join } from "node:path";
import { stalls } from "@margay/core/internal/testing";
import { says, startMockModel } from "@margay/core/testing";
import { expect, onTestFinished, test } from "vitest";
import { appendLog } from "../../src/config/log-file.ts";
import { margay, modelConfig, type Margay } from "../cli/harness.ts";
import { start } from "../durability/running.ts";

interface Place {
  readonly app: Margay;
  readonly model: Awaited<ReturnType<typeof startMockModel>>;
  run(
    ...words: readonly string[]
  ): Promise<{ readonly code: number | NodeJS.Signals | null; out: string; err: string }>;
  /** Of the gateway that runs. */
  pid(): number | undefined;
}

async function place(): Promise<Place> {
  const model = await startMockModel({ rules: "off" });
  onTestFinished(() => model.close());
  const app = margay();
  app.configure({ ...modelConfig(model.url), gateway: { port: 0 } });
  const pid = (): number | undefined => {
    try {
      return (JSON.parse(readFileSync(join(app.home, "gateway.json"), "utf8")) as { readonly pid: number }).pid; // ours
    } catch {
      return undefined; // none runs
    }
  };
  onTestFinished(() => {
    const left = pid();
    if (left !== undefined && isThere(left)) process.kill(left, "SIGKILL");
  });
  return {
    app,
    model,
    pid,
    run: async (...words) => {
      const running = start(app, {}, ...words);
      return { code: await running.ended, out: running.out(), err: running.err() };
    },
  };
}

/** Not one that has ended and is only remembered until somebody asks for its code. */
function isThere(pid: number): boolean {
  try {
    return !/\) Z /.test(readFileSync(`/proc/${pid}/stat`, "latin1"));
  } catch {
    return false;
  }
}

test("gateway start returns when it is ready, its process outlives the command, and stop waits for its end", async () => {
  const { app, model, run, pid } = await place();
  const started = await run("gateway", "start");
  expect(started).toMatchObject({ code: 0, err: "" });
  const first = pid() ?? 0;
  const [, url = ""] = /at (http:\S+) \(process \d+\)/.exec(started.out) ?? [];
  expect((await fetch(`${url}/ready`)).status).toBe(200);
  expect(started.out).toContain(`(process ${first})`);
  // The link is for the terminal alone.
  const [, link = ""] = /#login=(\w+)/.exec(started.out) ?? [];
  expect(link).not.toBe("");
  const files = readdirSync(app.home, { recursive: true, withFileTypes: true }).filter((entry) => entry.isFile());
  for (const { parentPath, name } of files) expect(readFileSync(join(parentPath, name), "latin1")).not.toContain(link);
  expect(statSync(join(app.home, "gateway.err")).mode & 0o777).toBe(0o600);

  const again = await run("gateway", "start");
  expect(again).toMatchObject({ code: 0, err: "" });
  expect(again.out).toContain(`runs already at ${url} (process ${first})`);
  const status = await run("gateway", "status", "--json");
  expect(status.code).toBe(0);
  expect(JSON.parse(status.out)).toMatchObject({ running: true, url, pid: first, service: false });
  model.replies(says("pong"));
  expect((await run("agent", "-m", "ping")).out).toContain("pong");

  const restarted = await run("gateway", "restart", "--lang", "zh-CN");
  expect(restarted).toMatchObject({ code: 0, err: "" });
  expect(restarted.out).toContain("网关已在后台运行于");
  await expect.poll(() => isThere(first)).toBe(false);
  const second = pid() ?? 0;
  expect(second).not.toBe(first);

  expect((await run("gateway", "stop")).out).toBe(`The gateway has ended (process ${second}).\n`);
  await expect.poll(() => isThere(second)).toBe(false);
  expect(existsSync(join(app.home, "gateway.err"))).toBe(false);
  expect(await run("gateway", "stop")).toMatchObject({
    code: 0,
    out: expect.stringContaining("No gateway runs on") as string,
  });
  const none = await run("gateway", "status");
  expect([none.code, none.out]).toEqual([1, expect.stringContaining("margay gateway start")]);
}, 90_000);

test("gateway start after kill -9 starts a new one, and two at once start one", async () => {
  const { run, pid } = await place();
  const both = await Promise.all([run("gateway", "start"), run("gateway", "start")]);
  expect(both.map(({ code }) => code)).toEqual([0, 0]);
  const first = pid() ?? 0;
  for (const { out } of both) expect(out).toContain(`(process ${first})`);
  process.kill(first, "SIGKILL");
  await expect.poll(async () => (await run("gateway", "status")).code).toBe(1);
  expect((await run("gateway", "start")).code).toBe(0);
  expect(pid()).not.toBe(first);
  expect((await run("gateway", "stop")).code).toBe(0);
}, 90_000);

test("a gateway that cannot start says why with its own code, and status says it again", async () => {
  const { run, pid } = await place();
  const taken = createServer().listen(0, "127.0.0.1");
  await once(taken, "listening");
  onTestFinished(() => void taken.close());
  const { port } = taken.address() as AddressInfo;
  const refused = await run("gateway", "start", "--port", String(port));
  expect([refused.code, refused.out]).toEqual([78, ""]);
  expect(refused.err).toContain("The gateway did not start. It said:");
  expect(refused.err).toContain(`127.0.0.1:${port} is used by another program.`);
  expect(pid()).toBeUndefined();
  const status = await run("gateway", "status");
  expect([status.code, status.out]).toEqual([1, expect.stringContaining(`127.0.0.1:${port} is used`)]);
}, 60_000);

test("gateway status shows the last 2,000 characters a gateway said (background/MAX_LAST_WORDS)", async () => {
  const { app, run } = await place();
  writeFileSync(join(app.home, "gateway.err"), `first ${"x".repeat(4000)} last\n`);
  const { said } = JSON.parse((await run("gateway", "status", "--json")).out) as { readonly said: string }; // ours
  expect([said.length, said.slice(-6)]).toEqual([2000, "x last"]);
}, 60_000);

test("gateway stop ends no command that works on the state directory", async () => {
  const { app, model, run } = await place();
  const held = stalls({ rest: says("at last") });
  model.replies(held);
  const chat = start(app, {}, "agent", "-m", "take your time");
  await expect.poll(() => model.requests.length, { timeout: 20_000 }).toBe(1);
  const stopped = await run("gateway", "stop");
  expect(stopped.code).toBe(75);
  expect(stopped.err).toContain(`Process ${chat.pid} works on this state directory`);
  expect(isThere(chat.pid)).toBe(true);
  held.release();
  expect(await chat.ended).toBe(0);
}, 60_000);

test("gateway logs shows the end of the log, and with -f what comes", async () => {
  const { app, run } = await place();
  const log = join(app.home, "margay.log");
  expect(await run("gateway", "logs")).toMatchObject({ code: 0, out: "", err: `Nothing was logged yet: ${log}\n` });
  const line = (n: number): string =>
    `${JSON.stringify({ time: `2026-11-26T10:00:0${n}.000Z`, level: "warn", event: "disk.slow", ms: n, path: "a b" })}\n`;
  appendLog(log, [1, 2, 3].map(line).join(""));
  const shown = (n: number): string => `2026-11-26T10:00:0${n}.000Z warn  disk.slow ms=${n} path="a b"\n`;
  expect(await run("gateway", "logs", "-n", "2")).toMatchObject({ code: 0, out: shown(2) + shown(3) });
  expect((await run("gateway", "logs", "--json", "-n", "1")).out).toBe(line(3));
  expect((await run("gateway", "logs", "-n", "none")).code).toBe(2);
  const following = start(app, {}, "gateway", "logs", "-f", "-n", "1");
  await expect.poll(following.out).toBe(shown(3));
  appendLog(log, line(4));
  await expect.poll(following.out).toBe(shown(3) + shown(4));
  following.kill("SIGINT");
  expect(await following.ended).toBe(0);
}, 60_000);

test("where the service is installed, start starts the service", async () => {
  const { app, run, pid } = await place();
  const unit = join(app.directory, ".config/systemd/user/margay.service");
  const bin = join(app.directory, "bin");
  mkdirSync(bin);
  // As systemd does it: the line of the unit, in a session of its own.
  const script = `#!/bin/sh
echo "$2" >> ${app.directory}/called
[ "$2" = start ] || exit 0
eval "setsid $(sed -n 's/^ExecStart=//p' ${unit}) >/dev/null 2>&1 </dev/null &"
`;
  writeFileSync(join(bin, "systemctl"), script, { mode: 0o755 });
  const path = process.env["PATH"];
  process.env["PATH"] = `${bin}:${path ?? ""}`;
  onTestFinished(() => {
    process.env["PATH"] = path;
  });
  expect((await run("gateway", "install")).code).toBe(0);
  const started = await run("gateway", "start");
  expect(started).toMatchObject({ code: 0, err: "" });
  expect(readFileSync(join(app.directory, "called"), "utf8").trim().split("\n").at(-1)).toBe("start");
  expect(JSON.parse((await run("gateway", "status", "--json")).out)).toMatchObject({ running: true, service: true });
  const refused = await run("gateway", "restart", "--port", "0");
  expect([refused.code, refused.err]).toEqual([2, expect.stringContaining("gateway.port")]);
  expect(pid()).toBeDefined(); // it still runs
}, 60_000);
