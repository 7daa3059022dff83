// SIGTERM in the midst of things: what an orderly end finishes, says, closes and leaves, and that the next start finds a clean one.
import { once } from "node:events";
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { lockOwner, readIfExists } from "@margay/core/internal";
import { callsTool, says, startMockModel } from "@margay/core/testing";
import { stalls } from "@margay/core/internal/testing";
import { expect, onTestFinished, test } from "vitest";
import { WebSocket } from "ws";
import { auditOf } from "../../src/host/audit-log.ts";
import { margay, modelConfig } from "../cli/harness.ts";
import { approveByCommand, fakeServer } from "../mcp/support.ts";
import { startGateway as startInThisProcess } from "../gateway/support.ts";
import { startGateway } from "./running.ts";

/** Seconds that no other command sleeps. */
const NAP = "1000.625";

/** Ids of living processes that know this text, by their command line or environment. */
function living(text: string): readonly string[] {
  return readdirSync("/proc").filter((pid) => {
    if (!/^\d+$/.test(pid) || Number(pid) === process.pid) return false;
    try {
      return ["cmdline", "environ"].some((name) => readFileSync(`/proc/${pid}/${name}`, "latin1").includes(text));
    } catch {
      return false; // ended meanwhile, or another one's
    }
  });
}

test(
  "R20 R215 SIGTERM in the midst of everything leaves nothing open, running or half written, and the next start goes on",
  {
    timeout: 240_000,
  },
  async () => {
    const model = await startMockModel({ rules: "off" });
    onTestFinished(() => model.close());
    const made = margay();
    const { home } = made;
    const fake = fakeServer();
    made.configure({
      ...modelConfig(model.url),
      tools: {}, // with the sandbox: its command runs unasked
      mcpServers: { fake: fake.config },
      mcp: { connectTimeoutSeconds: 60 }, // a busy machine starts it late
      policy: { rules: [{ tool: "mcp_*", action: "allow" }] },
      channels: { webhook: { enabled: true, secret: "secret-of-the-webhook", options: { port: 0 } } },
    });
    await approveByCommand(made);
    const added = await made.run(["cron", "add", "--every", "1d", "--message", "tick", "--to", "cli:direct"]);
    expect(added.code).toBe(0);
    let gateway = await startGateway(made);
    const token = String((JSON.parse(readFileSync(join(home, "gateway.json"), "utf8")) as { token: string }).token);
    const socket = new WebSocket(`${gateway.url.replace("http", "ws")}/ws`, {
      headers: { authorization: `Bearer ${token}` },
    });
    const frames: string[] = [];
    socket.on("message", (frame: Buffer) => frames.push(frame.toString()));
    const left = once(socket, "close");
    const say = (text: string) => gateway.api("/sessions", { message: { parts: [{ type: "text", text }] } });

    model.replies(callsTool("mcp_fake_echo", { text: "x" }), callsTool("recall", { query: "tea" }), says("the first"));
    await say("one");
    await model.received(3);
    model.replies(callsTool("exec", { command: `sleep ${NAP}` }));
    await say("two");
    await expect.poll(() => living(`sleep\0${NAP}`).length, { timeout: 60_000 }).toBeGreaterThan(0);
    const late = stalls({ rest: says("the third") });
    model.replies(late);
    await say("three");
    await model.received(5);
    expect(fake.running()).toBeGreaterThan(0);
    expect(readdirSync(join(home, "index"))).toContain("recall.sqlite-wal");
    expect(lockOwner(home)).toBe(gateway.pid);

    gateway.kill("SIGTERM");
    await expect.poll(() => frames.at(-1), { timeout: 60_000 }).toContain('"type":"goodbye","reason":"shutdown"');
    late.release(); // a request that is answered in time is not lost
    expect(await gateway.ended).toBe(0); // nothing held it: else it is ended with 143
    expect((await left)[0]).toBe(1001);
    expect(gateway.err()).toContain("Stopping: work in hand is finished first.");
    expect([...living(home), ...living(`sleep\0${NAP}`), fake.running()]).toEqual([0]);
    for (const name of ["lock", "gateway.json", "unclean-starts.json"])
      expect(existsSync(join(home, name)), name).toBe(false);
    expect(readdirSync(join(home, "index"))).toEqual(["recall.sqlite"]);
    expect(readdirSync(join(home, "control"))).toEqual([]);
    expect(readdirSync(join(home, "sessions"))).toEqual(expect.arrayContaining(["gateway.cache", "summaries.cache"]));
    const files = readdirSync(home, { recursive: true, encoding: "utf8" });
    expect(files.filter((name) => /\.tmp|~$|\.request\.|\.answer\./.test(name))).toEqual([]);
    const journals = files.filter((name) => name.endsWith(".journal"));
    expect(journals).toHaveLength(4); // and the one of the jobs
    for (const name of journals) expect(readFileSync(join(home, name), "utf8")).toMatch(/\}\n$/);
    expect(journals.map((name) => readFileSync(join(home, name), "utf8")).join("")).toContain("the third");
    expect(readIfExists(join(home, "margay.log"))?.toString()).not.toMatch(/"level":"(?:warn|error)"/);

    // The log of what was done ends where its signed head says, with the last thing that was done.
    const audit = auditOf({ home });
    const [last] = await audit.list();
    expect(await audit.verify()).toMatchObject({ ok: true, entries: last?.n });
    for (const name of ["head.json", "checkpoint.json"])
      expect(readFileSync(join(home, "audit", name), "utf8"), name).toContain(last?.hash);
    expect((await audit.list({ kind: "turn" })).map((turn) => turn.kind === "turn" && turn.user)).toEqual([
      "three",
      "one",
    ]);

    const before = model.requests.length;
    model.replies(says("the second"));
    gateway = await startGateway(made);
    await model.received(before + 1);
    expect(model.requests.at(-1)?.raw).toContain("two");
    await expect.poll(async () => JSON.stringify((await audit.list({ kind: "turn" }))[0])).toContain("the second");
    expect(model.requests).toHaveLength(before + 1);
    expect(existsSync(join(home, "unclean-starts.json"))).toBe(false);
    gateway.kill("SIGTERM");
    expect(await gateway.ended).toBe(0);
  },
);

test("R20 the search index is closed with the gateway, not only with its process: nothing lies beside it", async () => {
  const { app, model, home, stop } = await startInThisProcess({ onTestFinished });
  model.replies(callsTool("recall", { query: "tea" }), says("none"));
  await app.agent.send("cli:direct", "which tea?").finished;
  expect(readdirSync(join(home, "index"))).toContain("recall.sqlite-wal");
  await stop();
  expect(readdirSync(join(home, "index"))).toEqual(["recall.sqlite"]);
});
