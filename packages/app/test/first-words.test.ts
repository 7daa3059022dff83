// R429 in the program with its own defaults: whatever a provider does, a person hears something in time.
import { spawn } from "node:child_process";
import { createServer, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { fakeClock } from "@margay/core/testing";
import { stalls } from "@margay/core/internal/testing";
import { expect, onTestFinished, test } from "vitest";
import { margay, modelConfig } from "./cli/harness.ts";
import { connect, type Frame } from "./gateway/frames.ts";
import { startGateway } from "./gateway/support.ts";

interface Commenting {
  readonly url: string;
  /** Resolves with the first request. */
  readonly asked: Promise<void>;
  /** Resolves when every open stream was sent another comment. */
  comment(): Promise<void>;
}

/** A server that keeps each stream alive with comments and says nothing else. */
async function commenting(): Promise<Commenting> {
  const open = new Set<ServerResponse>();
  const asked = Promise.withResolvers<void>();
  const comment = async (to: ServerResponse): Promise<void> => {
    await new Promise<void>((resolve) => to.write(": still here\n\n", () => resolve()));
  };
  const server = createServer((request, response) => {
    request.resume();
    response.writeHead(200, { "content-type": "text/event-stream" });
    open.add(response);
    response.on("close", () => open.delete(response));
    void comment(response).then(asked.resolve);
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    asked: asked.promise,
    comment: async () => void (await Promise.all([...open].map(comment))),
  };
}

test("DF18 R429 a provider that sends only comments ends a question after three minutes, and stderr says all along that it waits", async () => {
  const server = await commenting();
  const app = margay();
  app.configure(modelConfig(server.url));
  const clock = fakeClock();
  const ran = app.run(["agent", "-m", "go"], { clock });
  await server.asked;
  for (let seconds = 0; seconds < 180; seconds += 10) {
    await clock.advance(10_000);
    await server.comment();
  }
  const { code, out, err } = await ran;
  expect({ code, out }).toEqual({ code: 1, out: "" });
  for (const seconds of [20, 40, 160])
    expect(err).toContain(`No answer from the model for ${seconds} s; still waiting. Ctrl-C stops it.`);
  expect(err).toContain("mock/mock-model said nothing for 180 seconds. Choose another model with /model,");
  expect(err).toContain("[provider.silent]");
});

test("R429 the built program ends in the time that is configured, in Chinese as well", async () => {
  const server = await commenting();
  const app = margay();
  // Seconds of this test are real.
  app.configure({ ...modelConfig(server.url), language: "zh-CN", agent: { firstTextSeconds: 2 } });
  const env = { PATH: process.env["PATH"], HOME: app.directory, MARGAY_HOME: app.home, NO_COLOR: "1" };
  const built = join(import.meta.dirname, "../bin/margay.js");
  const child = spawn(process.execPath, [built, "agent", "-m", "go"], { env, stdio: ["ignore", "pipe", "pipe"] });
  onTestFinished(() => void child.kill("SIGKILL"));
  let err = "";
  child.stderr.on("data", (chunk: Buffer) => (err += chunk.toString()));
  const ended = new Promise<number | null>((resolve) => void child.on("close", resolve));
  await server.asked;
  const begun = performance.now();
  expect(await ended).toBe(1);
  // A stream of comments is alive for 300 s, four times.
  expect(performance.now() - begun).toBeLessThan(60_000);
  expect(err).toContain("mock/mock-model 在 2 秒内没有回应。请用 /model 换一个模型");
});

test("R429 pages are told that the model says nothing yet, and no commit holds it", async (t) => {
  const clock = fakeClock();
  const gateway = await startGateway(t, { clock });
  const held = stalls();
  gateway.model.replies(held);
  const tab = await connect(gateway);
  const parts = [{ type: "text", text: "go" }];
  const { session } = (await tab.ask({ type: "message.send", session: "new", key: "k", parts })).result;
  await tab.ask({ type: "subscribe", session, after: 0 });
  await gateway.model.received(1);
  await clock.advance(20_000);
  const { events } = await tab.until(({ type }) => type === "live");
  expect(events).toEqual([{ type: "model.waiting", turn: expect.any(String) as string, waitedMs: 20_000 }]);
  held.release();
  const commits = tab.frames.flatMap((frame: Frame) => (frame.type === "commit" ? frame.records : []));
  expect(commits.map(({ type }: Frame) => type)).not.toContain("model.waiting");
});
