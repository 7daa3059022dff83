// A restart that is asked for over HTTP, under what `margay gateway install` sets up: the real program, its unit, and a systemd of a few lines.
import { spawn } from "node:child_process";
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { says, startMockModel, type MockModel } from "@margay/core/testing";
import { stalls } from "@margay/core/internal/testing";
import { expect, onTestFinished, test } from "vitest";
import { margay, modelConfig, type Margay } from "../cli/harness.ts";

const MAIN = join(import.meta.dirname, "../../src/main.ts");

/** Does with a unit what systemd does, as far as this one goes: ends with the code that it does not start again after. */
const SYSTEMD = `
import { spawn } from "node:child_process";
import { readFileSync } from "node:fs";
const unit = readFileSync(process.argv[2], "utf8");
const all = (name) => [...unit.matchAll(new RegExp("^" + name + "=(.*)$", "gm"))].map((found) => found[1]);
const env = { ...process.env, ...Object.fromEntries(all("Environment").map((pair) => pair.split("="))) };
const [program, ...args] = [...all("ExecStart")[0].matchAll(/"([^"]*)"/g)].map((found) => found[1]);
const codes = (name) => all(name).flatMap((line) => line.split(" ").map(Number));
const run = () => {
  const child = spawn(program, args, { env, stdio: ["ignore", "ignore", "inherit"] });
  const stop = () => child.kill("SIGTERM");
  process.once("SIGTERM", stop);
  child.once("close", (code) => {
    process.off("SIGTERM", stop);
    process.stdout.write("ended " + code + "\\n");
    if (codes("RestartForceExitStatus").includes(code)) run();
    else process.exitCode = code;
  });
};
run();
`;

interface Note {
  readonly url: string;
  readonly pid: number;
  readonly token: string;
}

interface Supervised {
  /** The exit codes so far. */
  readonly ended: readonly string[];
  note(): Note | undefined;
  api(path: string, body?: object): Promise<{ readonly status: number; readonly body: Record<string, unknown> }>;
  /** Waits for a process other than this one. */
  after(pid: number): Promise<Note>;
  stop(): Promise<number | null>;
}

async function supervised(made: Margay): Promise<Supervised> {
  const bin = join(made.directory, "bin");
  mkdirSync(bin);
  writeFileSync(join(bin, "systemctl"), "#!/bin/sh\n", { mode: 0o755 });
  const env = {
    PATH: `${bin}:/bin:/usr/bin`,
    HOME: made.directory,
    MARGAY_HOME: made.home,
    NODE_OPTIONS: "--conditions=margay-source",
  };
  const install = spawn(process.execPath, [MAIN, "gateway", "install"], { env, stdio: "ignore" });
  expect(await new Promise((resolve) => install.once("close", resolve))).toBe(0);
  const script = join(made.directory, "systemd.mjs");
  writeFileSync(script, SYSTEMD);
  const unit = join(made.directory, ".config/systemd/user/margay.service");
  const systemd = spawn(process.execPath, [script, unit], { env, stdio: ["ignore", "pipe", "ignore"] });
  const ended: string[] = [];
  systemd.stdout.setEncoding("utf8").on("data", (text: string) => ended.push(...text.trim().split("\n")));
  const closed = new Promise<number | null>((resolve) => systemd.once("close", resolve));
  const stop = (): Promise<number | null> => {
    systemd.kill("SIGTERM");
    return closed;
  };
  onTestFinished(async () => {
    await stop();
  });
  const note = (): Note | undefined => {
    try {
      return JSON.parse(readFileSync(join(made.home, "gateway.json"), "utf8")) as Note; // written by the gateway
    } catch {
      return undefined; // between two processes
    }
  };
  const running = (): Note => {
    const found = note();
    if (found === undefined) throw new Error("nothing runs");
    return found;
  };
  const after = async (pid: number): Promise<Note> => {
    await expect.poll(() => note()?.pid ?? pid, { timeout: 60_000, interval: 40 }).not.toBe(pid); // 15 s of them are the grace of a turn in hand
    return running();
  };
  return {
    ended,
    note,
    after,
    stop,
    api: async (path, body) => {
      const { url, token } = running();
      const response = await fetch(`${url}/api/v1${path}`, {
        method: body === undefined ? "GET" : "POST",
        headers: { authorization: `Bearer ${token}`, "content-type": "application/json" },
        ...(body !== undefined && { body: JSON.stringify(body) }),
      });
      return { status: response.status, body: (await response.json()) as Record<string, unknown> };
    },
  };
}

async function place(): Promise<{ readonly made: Margay; readonly model: MockModel }> {
  const model = await startMockModel({ rules: "off" });
  onTestFinished(() => model.close());
  const made = margay();
  made.configure({ ...modelConfig(model.url), heartbeat: { enabled: false }, gateway: { port: 0 } });
  return { made, model };
}

test(
  "under a supervisor a restart waits for the turn in hand, or does not, and nothing is lost",
  { timeout: 200_000 },
  async () => {
    const { made, model } = await place();
    const service = await supervised(made);
    const first = await service.after(0);
    expect((await service.api("/system")).body["supervised"]).toBe(true);

    const { body: session } = await service.api("/sessions", {});
    const messages = `/sessions/${String(session["id"])}/messages`;
    const say = (text: string): ReturnType<Supervised["api"]> =>
      service.api(messages, { parts: [{ type: "text", text }] });
    const slow = stalls({ after: "Half", rest: says(" and the rest") });
    model.replies(slow);
    expect((await say("one")).status).toBe(202);
    await model.received(1);
    expect(await service.api("/system/restart", { when: "idle" })).toEqual({ status: 202, body: { accepted: true } });
    expect(await service.api("/system/restart", { when: "idle" })).toEqual({ status: 202, body: { accepted: true } });
    expect(service.note()?.pid).toBe(first.pid);
    slow.release();
    const second = await service.after(first.pid);
    expect(service.ended).toEqual(["ended 85"]);
    expect(model.requests).toHaveLength(1);
    expect(JSON.stringify((await service.api(`/sessions/${String(session["id"])}/messages`)).body)).toContain(
      "Half and the rest",
    );

    // Now: the turn is cut off, and the next process asks the model again.
    const stuck = stalls({ after: "Never" });
    model.replies(stuck, says("after all"));
    expect((await say("two")).status).toBe(202);
    await model.received(2);
    expect((await service.api("/system/restart", { when: "idle" })).status).toBe(202);
    expect((await service.api("/system/restart", { when: "now" })).status).toBe(202);
    await service.after(second.pid);
    expect(service.ended).toEqual(["ended 85", "ended 85"]);
    await model.received(3);
    await expect
      .poll(async () => JSON.stringify((await service.api(`/sessions/${String(session["id"])}/messages`)).body))
      .toContain("after all");
    stuck.release();

    // Told to stop it stops: that is no restart.
    expect(await service.stop()).toBe(0);
    expect(service.ended.at(-1)).toBe("ended 0");
  },
);
