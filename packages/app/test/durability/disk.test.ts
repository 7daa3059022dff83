// A disk that takes nothing, and takes something again: nobody waits for ever, and nothing pretends to be well.
import { existsSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { join } from "node:path";
import { callsTool, says, startMockModel, type MockModel } from "@margay/core/testing";
import { stalls, type Script } from "@margay/core/internal/testing";
import { expect, onTestFinished, test } from "vitest";
import { margay, modelConfig, type Margay } from "../cli/harness.ts";
import { fillDisk, freeDisk, start, startGateway, type Gateway } from "./running.ts";

/** Reopening waits a second and more; a loaded machine takes its time for all else. */
const PATIENCE = { timeout: 60_000, interval: 100 };

async function home(config: object = {}): Promise<{ readonly made: Margay; readonly model: MockModel }> {
  const model = await startMockModel({ rules: "off" });
  onTestFinished(() => model.close());
  const made = margay();
  made.configure({ ...modelConfig(model.url), heartbeat: { enabled: false }, gateway: { port: 0 }, ...config });
  return { made, model };
}

async function newSession({ api }: Gateway): Promise<string> {
  const { status, body } = await api("/sessions", {});
  expect(status).toBe(201);
  return String(body["id"]);
}

async function said({ api }: Gateway, session: string): Promise<string> {
  return JSON.stringify((await api(`/sessions/${session}/messages`)).body);
}

test(
  "DF13 R422 a gateway whose disk failed in a turn is not ready, says why, and ends the turn when it can write again",
  { timeout: 240_000 },
  async () => {
    const { made, model } = await home();
    const running = await startGateway(made);
    const session = await newSession(running);
    const stuck = stalls({ rest: says("the lost answer") });
    model.replies(stuck, says("to the doctor"), says("the answer"));
    expect(
      (await running.api(`/sessions/${session}/messages`, { parts: [{ type: "text", text: "question" }] })).status,
    ).toBe(202);
    await model.received(1);
    fillDisk(running.pid);
    stuck.release();
    await expect.poll(running.ready, PATIENCE).toBe(false);
    const { body } = await running.api("/system");
    expect(body["storage"]).toMatchObject({
      ok: false,
      reason: expect.stringContaining("could not be read or written") as string,
    });
    const refused = await running.api(`/sessions/${session}/messages`, { parts: [{ type: "text", text: "more" }] });
    expect([refused.status, refused.body["code"]]).toEqual([503, "state.disk"]);
    const doctor = start(made, {}, "doctor");
    await doctor.ended;
    expect(doctor.out()).toContain("could not be read or written");
    const status = start(made, {}, "status");
    await status.ended;
    expect(status.out()).toContain("could not be read or written");
    freeDisk(running.pid);
    await expect.poll(running.ready, PATIENCE).toBe(true);
    await expect.poll(() => said(running, session), PATIENCE).toMatch(/the answer.*turn-end/);
    expect((await running.api("/system")).body["storage"]).toEqual({ ok: true });
  },
);

test("DF13 R422 margay agent -m says that the disk failed, and ends with 1", { timeout: 240_000 }, async () => {
  const { made, model } = await home();
  const stuck = stalls({ rest: says("lost") });
  model.replies(stuck);
  const asked = start(made, {}, "agent", "-m", "question");
  await model.received(1);
  fillDisk(asked.pid);
  stuck.release();
  expect(await asked.ended).toBe(1);
  expect(asked.err()).toMatch(/could not be read or written: .*journal\.failed/s);
  model.replies(says("the answer"), says("again"));
  const next = start(made, {}, "agent", "-m", "again?");
  expect(await next.ended).toBe(0);
  expect(next.out()).toContain("the answer");
});

test(
  "DF12 R422 a gateway whose disk takes nothing goes on, says once that its log is not written, and writes it later",
  { timeout: 240_000 },
  async () => {
    const { made } = await home();
    const running = await startGateway(made);
    const parts = [{ type: "text", text: "question" }];
    const session = await newSession(running);
    fillDisk(running.pid);
    for (const [path, body] of [
      ["/sessions", {}],
      [`/sessions/${session}/messages`, { parts }],
      [`/sessions/${session}/messages`, { parts }],
    ] as const)
      expect((await running.api(path, body)).status).toBe(503);
    await expect.poll(running.err, PATIENCE).toContain("cannot be written");
    expect(running.err().match(/cannot be written/g)).toHaveLength(1);
    freeDisk(running.pid);
    await expect.poll(running.ready, PATIENCE).toBe(true);
    await newSession(running);
    const log = (): string => readFileSync(join(made.home, "margay.log"), "utf8");
    await expect.poll(log, PATIENCE).toMatch(/replays\.failed.*session\.failed/s);
  },
);

const CONFINER = ["/usr/bin/bwrap", "/bin/bwrap"].find(existsSync);

test.skipIf(CONFINER === undefined)(
  "DF12 a start on a full or read-only disk says what it is, and what to do",
  { timeout: 240_000 },
  async () => {
    const { made } = await home();
    const on = async (...mount: readonly string[]): Promise<string> => {
      const argv = [
        "--dev-bind",
        "/",
        "/",
        ...mount,
        "/bin/sh",
        "-c",
        `dd if=/dev/zero of="$MARGAY_HOME/fill" bs=4096 2>/dev/null; exec "$@"`,
        "sh",
      ];
      const running = start(made, { by: [CONFINER ?? "", ...argv] }, "agent", "-m", "hello");
      expect(await running.ended).toBe(1);
      return running.err();
    };
    expect(await on("--size", "65536", "--tmpfs", made.home)).toMatch(
      /the disk is full .*Free space.*\[disk\.failed\]/s,
    );
    expect(await on("--ro-bind", made.home, made.home)).toMatch(
      /the disk is read-only .*Mount it writable.*\[disk\.failed\]/s,
    );
  },
);

test(
  "DF21 what is said after the sessions directory was deleted is refused, or stored and answered",
  { timeout: 240_000 },
  async () => {
    const { made, model } = await home();
    const running = await startGateway(made);
    const session = await newSession(running);
    const say = (): ReturnType<Gateway["api"]> =>
      running.api(`/sessions/${session}/messages`, { parts: [{ type: "text", text: "question" }] });
    model.replies(says("before"));
    expect((await say()).status).toBe(202);
    await expect.poll(() => said(running, session), PATIENCE).toContain("turn-end");
    rmSync(join(made.home, "sessions"), { recursive: true });
    expect((await say()).status).toBeGreaterThanOrEqual(400);
    const next = await newSession(running);
    model.replies(says("after"));
    expect(
      (await running.api(`/sessions/${next}/messages`, { parts: [{ type: "text", text: "question" }] })).status,
    ).toBe(202);
    await expect.poll(() => said(running, next), PATIENCE).toContain("after");
    expect(readdirSync(join(made.home, "sessions")).filter((name) => name.endsWith(".journal"))).not.toEqual([]);
    await expect.poll(running.ready, PATIENCE).toBe(true);
  },
);

test("DF21 tools work again when the workspace was deleted while margay runs", { timeout: 240_000 }, async () => {
  const { made, model } = await home();
  const running = await startGateway(made);
  const session = await newSession(running);
  const turn = async (...replies: readonly Script[]): Promise<string> => {
    const before = model.requests.length;
    model.replies(...replies);
    expect((await running.api(`/sessions/${session}/messages`, { parts: [{ type: "text", text: "go" }] })).status).toBe(
      202,
    );
    await model.received(before + replies.length);
    return model.requests.at(-1)?.toolResults.at(-1)?.text ?? "";
  };
  expect(await turn(callsTool("write_file", { path: "a.txt", content: "alpha" }), says("written"))).not.toContain(
    "Error",
  );
  rmSync(join(made.home, "workspace"), { recursive: true });
  expect(await turn(callsTool("write_file", { path: "b.txt", content: "beta" }), says("written"))).not.toContain(
    "Error",
  );
  expect(await turn(callsTool("read_file", { path: "b.txt" }), says("read"))).toContain("beta");
  rmSync(join(made.home, "workspace"), { recursive: true });
  expect(await turn(callsTool("list_dir", { path: "." }), says("listed"))).not.toContain("Error");
});
