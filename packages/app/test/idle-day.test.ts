import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { callsTool, fakeClock, startMockModel } from "@margay/core/testing";
import { expect, onTestFinished, test } from "vitest";
import { compose } from "../src/compose/compose.ts";
import { loadConfig } from "../src/config/load.ts";
import { placesOf } from "../src/config/paths.ts";
import { translator } from "../src/texts/translate.ts";
import { runParts } from "../src/host/run-parts.ts";
import { startReceiver } from "./channels/support.ts";
import { margay, modelConfig } from "./cli/harness.ts";

const HALF_HOUR = 1_800_000;

test("R412 CF7 a day with a job, heartbeat, greeting and a channel and nothing due costs no request", async () => {
  await using receiver = await startReceiver();
  const model = await startMockModel();
  onTestFinished(() => model.close());
  const { home, directory } = margay();
  const workspace = join(directory, "workspace");
  mkdirSync(workspace);
  writeFileSync(join(workspace, "HEARTBEAT.md"), "# Heartbeat\n<!-- - an example -->\n- [x] old\n");
  const clock = fakeClock(Date.UTC(2026, 10, 21, 12));
  const loaded = loadConfig({
    places: placesOf({ flag: home, env: {}, userHome: directory, currentDirectory: directory }),
    env: {},
    userHome: directory,
    t: translator("en"),
    object: {
      ...modelConfig(model.url),
      workspace,
      timeZone: "UTC",
      agent: { requestTimeoutSeconds: 3600, idleTimeoutSeconds: 3600 }, // half an hour passes while a request is on its way
      heartbeat: { enabled: true },
      greeting: { enabled: true, maxPerDay: 5 },
      channels: { webhook: { enabled: true, secret: "webhook-secret", options: { url: receiver.url, port: 0 } } },
    },
  });
  const problems: string[] = [];
  await using app = await compose({
    loaded,
    language: "en",
    env: { HOME: directory },
    clock,
    writeLog: (line) => void (/"level":"(warn|error)"/.test(line) && problems.push(line)),
  });
  const stop = new AbortController();
  const running = Promise.all([app.agent.run(stop.signal), runParts(app.schedule.parts, app, stop.signal)]);
  await app.schedule.cron?.add({
    message: "stand up",
    at: "2026-11-22T13:00:00Z",
    mode: "deliver",
    to: { channel: "webhook", chat: "ops" },
  });
  const pass = async (halfHours: number): Promise<void> => {
    for (let each = 0; each < halfHours; each++) {
      await clock.waitForSleep(1); // heartbeat, greeting and the job's timer
      await clock.advance(HALF_HOUR);
    }
  };
  await pass(48);
  await app.agent.idle();
  expect([model.requests.length, receiver.calls]).toEqual([0, 0]);

  // Now there is something: the same process was awake all the time.
  writeFileSync(join(workspace, "HEARTBEAT.md"), "- [ ] water the plants\n");
  model.replies(callsTool("heartbeat", { action: "skip" }));
  await pass(2);
  await receiver.took(1);
  expect(receiver.received[0]?.body).toMatchObject({ chat: "ops", at: expect.stringMatching(/^2026-11-22T13:/) });
  await model.received(1);
  stop.abort(new Error("enough"));
  await running;
  expect(problems).toEqual([]);
});
