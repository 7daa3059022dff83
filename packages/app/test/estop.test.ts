// The emergency stop through its doors: the file, the command line, a crash in the middle; the other doors are in gateway/system.test.ts.
import { spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync, mkdirSync, readFileSync, rmSync, symlinkSync, utimesSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { openFileDocs } from "@margay/core/internal";
import { callsTool, says, startMockModel } from "@margay/core/testing";
import { stalls } from "@margay/core/internal/testing";
import { describe, expect, onTestFinished, test } from "vitest";
import type { App } from "../src/app.ts";
import { openStopFlag } from "../src/features/emergency-stop/service.ts";
import { margay, modelConfig } from "./cli/harness.ts";
import { startGateway, type TestGateway } from "./gateway/support.ts";

const BIN = join(import.meta.dirname, "../bin/margay.js");
const chat = { channel: "web", chat: "estop" };

function flagOf({ home }: { readonly home: string }): string {
  return join(home, "paused");
}

async function estops(app: App): Promise<readonly string[]> {
  await app.audit.flush();
  return (await app.audit.list({ kind: "event" }))
    .toReversed()
    .flatMap((entry) =>
      entry.kind === "event" && entry.name.startsWith("estop.") ? [`${entry.name} ${String(entry.data["by"])}`] : [],
    );
}

/** A command that runs until it is killed, and the id of its process. */
async function running(gateway: TestGateway): Promise<{ readonly pid: number; readonly reason: Promise<string> }> {
  gateway.model.replies(
    callsTool("exec", { command: 'echo $$ > pid; printf "%s" up > up; sleep 300 & wait' }),
    says("no"),
  );
  const turn = gateway.app.agent.send("web:estop", "go", { origin: chat });
  await expect.poll(async () => (await gateway.app.agent.approvals()).length).toBe(1);
  const [approval] = await gateway.app.agent.approvals();
  await gateway.app.agent.control("web:estop", { type: "allow", call: approval!.call }, { id: "user", kind: "person" });
  await expect.poll(() => existsSync(join(gateway.workspace, "up"))).toBe(true);
  return {
    pid: Number(readFileSync(join(gateway.workspace, "pid"), "utf8")),
    reason: turn.finished.then(({ reason }) => reason),
  };
}

/** Of its process group: a shell that is gone may leave a child. */
function groupLives(pid: number): boolean {
  try {
    process.kill(-pid, 0);
    return true;
  } catch {
    return false;
  }
}

describe("the file", () => {
  test("R183 whoever touches it stops the turns, kills their commands, and is in the audit log", async (t) => {
    const gateway = await startGateway(t);
    const { pid, reason } = await running(gateway);
    writeFileSync(flagOf(gateway), "");
    expect(await reason).toBe("cancelled");
    await expect.poll(() => groupLives(pid)).toBe(false);
    expect(gateway.model.requests).toHaveLength(1);
    expect(await estops(gateway.app)).toEqual(["estop.on file"]);
    const { body } = await gateway.api("/estop");
    expect(body).toMatchObject({ on: true, since: expect.any(Number) });
    rmSync(flagOf(gateway));
    await expect.poll(() => estops(gateway.app)).toEqual(["estop.on file", "estop.off file"]);
    expect((await gateway.api("/estop")).body).toEqual({ on: false });
  });

  test.each([
    ["empty", (path: string) => writeFileSync(path, "")],
    ["half-written", (path: string) => writeFileSync(path, '{"stopped":tr')],
    ["of an earlier version", (path: string) => writeFileSync(path, "yes\n")],
    ["almost a no", (path: string) => writeFileSync(path, "no")],
    ["binary", (path: string) => writeFileSync(path, new Uint8Array([0, 255, 254]))],
    ["a directory", (path: string) => mkdirSync(path)],
    ["a link to itself", (path: string) => symlinkSync(path, path)],
    ["a link to nowhere beyond a file", (path: string) => symlinkSync(join(path, "../config.json/x"), path)],
  ])("R183 a flag that is %s stops: nothing is taken, asked or run", async (_how, make) => {
    const gateway = await startGateway({ onTestFinished }, { prepare: ({ home }) => make(flagOf({ home })) });
    const { app } = gateway;
    const accepted = await app.agent.bus.accept({
      key: "1",
      origin: { channel: "cli", chat: "direct" },
      from: { id: "user", kind: "person" },
      parts: [{ type: "text", text: "hello" }],
    });
    expect(accepted).toMatchObject({ status: "refused", answer: expect.stringContaining("stopped everything") });
    await expect(app.agent.executeTool("list_dir", { path: "." })).rejects.toMatchObject({ code: "system.stopped" });
    await expect(
      app.agent.ask(
        "cli:direct",
        { purpose: "test", system: "s", text: "t", maxOutputTokens: 5 },
        AbortSignal.timeout(1),
      ),
    ).rejects.toMatchObject({ code: "system.stopped" });
    expect(gateway.model.requests).toEqual([]);
  });

  test.each(["release", "stop"] as const)(
    "R183 a release on its way releases no later stop, also when the %s waits longer for the disk",
    async (slow) => {
      const disk = openFileDocs(margay().home);
      const waits = Promise.withResolvers<void>();
      const write: typeof disk.write = async (name, body, ...rest) => {
        if ((body === "no\n") === (slow === "release")) await waits.promise;
        return await disk.write(name, body, ...rest);
      };
      const flag = openStopFlag({ docs: { ...disk, write }, now: Date.now });
      await openStopFlag({ docs: disk, now: Date.now }).set(true, "ann");
      const [release, stop] = [flag.set(false, "ann"), flag.set(true, "ben")];
      await (slow === "release" ? stop : release);
      expect(flag.on).toBe(true);
      waits.resolve();
      await Promise.all([release, stop]);
      expect([flag.on, flag.since?.by]).toEqual([true, "ben"]);
    },
  );

  test.each(["no\n", undefined])("R183 a flag that says %j stops nothing", async (text) => {
    const gateway = await startGateway(
      { onTestFinished },
      { prepare: ({ home }) => text !== undefined && writeFileSync(flagOf({ home }), text) },
    );
    gateway.model.replies(says("hello"));
    expect((await gateway.app.agent.send("web:estop", "hi", { origin: chat }).finished).text).toBe("hello");
  });
});

describe("the command", () => {
  test("R183 margay stop --all stops a running gateway and says what ended; resume --all lets it go on", async (t) => {
    const gateway = await startGateway(t);
    const cli = margay();
    const run = (...argv: string[]) => cli.run(argv, { env: { MARGAY_HOME: gateway.home } });
    gateway.model.replies(stalls());
    const turn = gateway.app.agent.send("web:estop", "go", { origin: chat });
    await gateway.model.received(1);
    const stopped = await run("stop", "--all", "--json");
    expect(stopped.code).toBe(0);
    expect(stopped.lines[0]).toEqual({ stopped: true, running: true, turns: 1, processes: 0 });
    expect((await turn.finished).reason).toBe("cancelled");
    expect((await gateway.api("/estop")).body).toMatchObject({ on: true, by: "user" });
    expect((await run("stop", "--all")).out).toContain("1 conversation(s)");
    expect((await run("resume", "--all")).out).toBe("The emergency stop is released.\n");
    expect((await run("resume", "--all")).out).toBe("Nothing is stopped.\n");
    expect(await estops(gateway.app)).toEqual(["estop.on user", "estop.off user"]);
    gateway.model.replies(says("here again"));
    expect((await gateway.app.agent.send("web:estop", "hi", { origin: chat }).finished).text).toBe("here again");
  });

  test("R183 without a running process it holds for the next one, whatever the configuration is", async () => {
    const cli = margay();
    cli.configure({ this: "is no configuration" });
    expect((await cli.run(["stop"])).code).toBe(2);
    expect((await cli.run(["stop", "--all"])).code).toBe(0);
    expect(existsSync(flagOf(cli))).toBe(true);
    expect((await cli.run(["stop", "--all", "--json"])).lines[0]).toEqual({ stopped: true, running: false });
    const { out } = await cli.run(["audit", "list", "--json"]);
    expect(
      out
        .trim()
        .split("\n")
        .map((line) => (JSON.parse(line) as { name: string }).name),
    ).toEqual(["estop.on"]);
    expect((await cli.run(["resume", "--all"])).code).toBe(0);
    expect(readFileSync(flagOf(cli), "utf8")).toBe("no\n");
    expect((await cli.run(["audit", "verify"])).code).toBe(0);
  });

  test("R315 speaks Chinese", async () => {
    const cli = margay();
    cli.configure({ language: "zh-CN" });
    expect((await cli.run(["stop", "--all"])).out).toContain("已全部停止");
    expect((await cli.run(["resume", "--all"])).out).toContain("已解除");
  });
});

describe("what comes meanwhile", () => {
  test("R183 a person of a chat is told, a job is refused with the reason, a subagent's result wakes nobody", async (t) => {
    const gateway = await startGateway(t, {
      config: { channels: { webhook: { enabled: false, allowFrom: ["ann"] } } },
    });
    const { app } = gateway;
    await gateway.api("/estop", { method: "PUT", body: { on: true } });
    expect(
      await app.agent.bus.accept({
        key: "1",
        origin: { channel: "webhook", chat: "ann" },
        from: { id: "ann", kind: "person" },
        parts: [{ type: "text", text: "hello" }],
      }),
    ).toMatchObject({ status: "refused", answer: expect.stringContaining("stopped everything") });
    const job = await app.schedule.cron!.add({
      message: "water",
      every_seconds: 3600,
      mode: "agent",
      to: { channel: "web", chat: "estop" },
    });
    expect((await gateway.api(`/cron/jobs/${job.id}/run`, { method: "POST", body: {} })).body).toMatchObject({
      code: "system.estopped",
    });
    await app.agent.bus.accept({
      key: "2",
      origin: chat,
      from: { id: "subagent", kind: "agent" },
      parts: [{ type: "text", text: "the result" }],
    });
    await app.agent.idle();
    const session = await app.agent.sessions.find("web:estop");
    expect([session?.state.pending, session?.state.turn, gateway.model.requests]).toEqual([[], undefined, []]);
  });
});

test("R183 killed with -9 in the middle of the stop: after the restart it is stopped, and nothing runs", async (t) => {
  const model = await startMockModel({ rules: "off" });
  t.onTestFinished(() => model.close());
  const { home, directory, configure } = margay();
  const workspace = join(directory, "workspace");
  configure({ ...modelConfig(model.url), workspace, heartbeat: { enabled: false } });
  const start = async () => {
    rmSync(join(home, "gateway.json"), { force: true });
    const child = spawn(process.execPath, [BIN, "gateway", "--port", "0", "--no-open"], {
      env: { ...process.env, MARGAY_HOME: home, HOME: directory, NO_COLOR: "1" },
      stdio: "ignore",
    });
    t.onTestFinished(() => void child.kill("SIGKILL"));
    const gone = once(child, "close");
    await expect.poll(() => existsSync(join(home, "gateway.json"))).toBe(true);
    const { url, token } = JSON.parse(readFileSync(join(home, "gateway.json"), "utf8")) as {
      url: string;
      token: string;
    };
    const api = async (path: string, method = "GET", body?: object) => {
      const response = await fetch(`${url}/api/v1${path}`, {
        method,
        headers: { authorization: `Bearer ${token}`, "content-type": "application/json" },
        ...(body !== undefined && { body: JSON.stringify(body) }),
      });
      return { status: response.status, body: (await response.json()) as Record<string, unknown> };
    };
    return { child, gone, api };
  };
  const first = await start();
  model.replies(stalls(), stalls());
  for (const text of ["one", "two"]) {
    const { body } = await first.api("/sessions", "POST", {});
    await first.api(`/sessions/${String(body["id"])}/messages`, "POST", { parts: [{ type: "text", text }] });
  }
  await model.received(2);
  writeFileSync(flagOf({ home }), "");
  first.child.kill("SIGKILL");
  await first.gone;
  const now = new Date();
  utimesSync(flagOf({ home }), now, now);
  const second = await start();
  expect((await second.api("/estop")).body["on"]).toBe(true);
  await expect
    .poll(async () => {
      const { items } = (await second.api("/sessions")).body as { items: readonly { state: string }[] };
      return items.map(({ state }) => state);
    })
    .toEqual(["idle", "idle"]);
  expect(model.requests).toHaveLength(2);
  second.child.kill("SIGTERM");
  await second.gone;
});
