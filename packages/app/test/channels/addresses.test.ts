// CH31: a thread is named in one form, wherever a chat is: settings, webhooks, jobs, the tool `message`, the command line.
import { createHmac } from "node:crypto";
import { callsTool, says } from "@margay/core/testing";
import { expect, test } from "vitest";
import { margay } from "../cli/harness.ts";
import { startGateway } from "../gateway/support.ts";
import { running, type Running } from "./running.ts";
import { postSigned, startReceiver } from "./support.ts";

const THREAD = "webhook:room?thread=a%20b";
const IN_THREAD = ["room", "a b"];
const RAN = [callsTool("heartbeat", { action: "run", task: "water the plants" }), says("The plants are watered.")];

function placesOf({ received }: Running["receiver"]): readonly unknown[] {
  return received.map(({ body }) => [body["chat"], body["thread"]]);
}

test("CH31 what a heartbeat did and what a job has to say go to the thread that is named", async () => {
  const { app, model, receiver } = await running(
    {},
    { config: { heartbeat: { enabled: true, target: THREAD } }, files: { "HEARTBEAT.md": "- [ ] water the plants\n" } },
  );
  model.replies(...RAN);
  expect(await app.schedule.heartbeat.checkNow(new AbortController().signal)).toBe("ran");
  await receiver.took(1);
  const to = { channel: "webhook", chat: "room", thread: "a b" };
  const job = await app.schedule.cron?.add({ message: "news", mode: "deliver", every_seconds: 3600, to });
  await app.schedule.cron?.runNow(job?.id ?? "", new AbortController().signal);
  await receiver.took(2);
  expect(placesOf(receiver)).toEqual([IN_THREAD, IN_THREAD]);
});

test("CH31 cron add --to takes a thread, and cron list shows it in that form", async () => {
  const place = margay();
  place.configure({ channels: { webhook: { enabled: true, secret: "webhook-secret-of-a-test" } } });
  const add = ["cron", "add", "--message", "news", "--every", "1h", "--to", THREAD, "--json"];
  expect((await place.run(add)).lines[0]).toMatchObject({
    to: { channel: "webhook", chat: "room", thread: "a b" },
  });
  expect((await place.run(["cron", "list"])).out).toContain(THREAD);
});

test("CH31 the tool message names another thread of its chat, and says where it was queued", async () => {
  const { app, model, receiver, port } = await running({ operators: ["ada"] });
  const write = async (thread: string, text: string): Promise<void> => {
    await postSigned(port, { id: text, chat: "room", thread, sender: "ada", text });
    await app.agent.idle();
  };
  model.replies(says("Here I am."));
  await write("a b", "first");
  model.replies(callsTool("message", { chat_id: "room?thread=a%20b", content: "From next door." }), says("Done."));
  await write("other", "tell them next door");
  await receiver.took(3);
  const said = receiver.received.find(({ body }) => body["text"] === "From next door.");
  expect([said?.body["chat"], said?.body["thread"]]).toEqual(IN_THREAD);
  expect(JSON.stringify(model.requests.at(-1)?.messages)).toContain(`Queued for ${THREAD}`);
});

test("CH31 what a webhook's turn says goes to the thread of deliver, and the page may say it too", async (t) => {
  const inbox = await startReceiver();
  t.onTestFinished(async () => inbox[Symbol.asyncDispose]());
  const secret = "5f1c0a9e7b3d4826a1f0c9e8d7b6a594";
  const gateway = await startGateway(t, {
    config: {
      channels: { webhook: { enabled: true, secret: "s", operators: ["ada"], options: { url: inbox.url, port: 0 } } },
      gateway: { hooks: { git: { scheme: "github", secret, deliver: [THREAD] } } },
    },
  });
  gateway.model.replies(says("An issue was opened."));
  const headers = {
    "x-hub-signature-256": `sha256=${createHmac("sha256", secret).update("{}").digest("hex")}`,
    "x-github-delivery": "d-1",
  };
  expect((await gateway.api("/!/hooks/git", { method: "POST", raw: "{}", token: null, headers })).status).toBe(202);
  await inbox.took(1);
  expect([inbox.received[0]?.body["chat"], inbox.received[0]?.body["thread"]]).toEqual(IN_THREAD);
});
