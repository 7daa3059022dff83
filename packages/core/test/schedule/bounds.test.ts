import { expect, test } from "vitest";
import { callsTool, fails, says } from "../../src/testing.ts";
import { ofType } from "../support/agent.ts";
import { startProactive } from "./proactive.ts";
import { job, startCron, until } from "./support.ts";

const HOUR = 3_600_000;

test("perform-run/MAX_FAILING: a job that fails three times in a row is paused, and the chat is told; one that succeeds between is not", async (t) => {
  const scene = await startCron(t);
  const { cron, clock, chat, model, go } = scene;
  const refused = fails(401, { error: { message: "bad key" } });
  await cron.add(job());
  go();
  const ran = async (runs: number): Promise<boolean> => {
    await clock.advance(HOUR);
    await until(async () => (await cron.list())[0]?.runs === runs);
    return (await cron.list())[0]?.enabled === true;
  };
  model.replies(refused, refused, says("well"), refused, refused, refused);
  expect([await ran(1), await ran(2), await ran(3), await ran(4), await ran(5)]).toEqual([
    true,
    true,
    true,
    true,
    true,
  ]);
  expect(await ran(6)).toBe(false);
  await chat.received(7);
  // A row of the chat, by the job: what is told again after a crash is known by it.
  expect(ofType(await scene.records("chat:42"), "message.posted").at(-1)).toMatchObject({
    reply: expect.stringMatching(/:paused$/) as string,
    from: { kind: "schedule" },
    text: chat.texts().at(-1),
  });
});

test("cron-tool/MAX_JOBS: a model adds fifty jobs, a person more", async (t) => {
  const scene = await startCron(t);
  const { cron, model, agent } = scene;
  const asks = async (): Promise<string> => {
    model.replies(callsTool("cron", { action: "add", message: "m", every_seconds: 3600 }), says("ok"));
    await agent.send("test:1", "add").finished;
    return model.requests.at(-1)?.toolResults.at(-1)?.text ?? "";
  };
  for (let n = 0; n < 49; n++) await cron.add(job());
  expect(await asks()).toContain("Added job");
  expect(await asks()).toContain("there are 50 jobs already");
  await cron.add(job());
  expect(await cron.list()).toHaveLength(51);
});

test("validate/MAX_MESSAGE_CHARS: a job of 20,000 characters is one, one more is refused", async (t) => {
  const { cron } = await startCron(t);
  await cron.add(job({ message: "m".repeat(20_000) }));
  await expect(cron.add(job({ message: "m".repeat(20_001) }))).rejects.toMatchObject({ code: "cron.invalid" });
});

test("validate/MAX_DATE_MS: the last moment that a clock can show is a time, the next is none", async (t) => {
  const { cron } = await startCron(t);
  const { every_seconds: _every, ...rest } = job();
  await cron.add({ ...rest, at: 8_640_000_000_000_000 });
  await expect(cron.add({ ...rest, at: 8_640_000_000_000_001 })).rejects.toMatchObject({ code: "cron.invalid" });
});

test("greeting/MAX_ROW_CHARS: 500 characters of a message are picked up by a greeting", async (t) => {
  const asked = async (chars: number): Promise<string> => {
    const scene = await startProactive(t);
    await scene.writes("1", "w".repeat(chars));
    scene.model.replies(says("How are you?"));
    await scene.greeting.preview(AbortSignal.timeout(10_000));
    return scene.model.requests.at(-1)?.texts("user").join() ?? "";
  };
  expect(await asked(500)).toContain(`Person: ${"w".repeat(500)}\n`);
  expect(await asked(501)).toContain(`Person: ${"w".repeat(500)}\n`);
});
