import { once } from "node:events";
import { createServer } from "node:net";
import type { AddressInfo } from "node:net";
import type { Channel, InboundMessage, OutboundMessage } from "@margay/core";
import type { Accepted } from "@margay/core/internal";
import { systemClock } from "@margay/core/internal";
import { channelConformance } from "@margay/core/testing";
import { expect, onTestFinished, test } from "vitest";
import { createWebhook } from "../../src/features/channels/webhook/webhook.ts";
import { eventLog, type EventLog, postSigned, SECRET, signatureOf, startReceiver } from "./support.ts";

channelConformance(
  (name, run) => test(`webhook ${name}`, run),
  async () => {
    const receiver = await startReceiver();
    const open = (log: EventLog): Channel => webhook({ url: receiver.url, port: 0, log });
    let port: Promise<unknown> = Promise.reject(new Error("nothing runs"));
    port.catch(() => {});
    const channel: Channel = {
      ...open(eventLog()),
      run: (inbox, signal) => {
        const log = eventLog(); // each run listens on a port of its own
        port = log.logged("channel.listening").then((data) => data["port"]);
        return open(log).run(inbox, signal);
      },
    };
    const answers = new Map<number, Promise<{ readonly status: number }>>();
    const waiting = new Map<number, PromiseWithResolvers<void>>();
    const waitFor = (id: number): PromiseWithResolvers<void> => {
      const found = waiting.get(id) ?? Promise.withResolvers<void>();
      waiting.set(id, found);
      return found;
    };
    return {
      channel,
      chat: { channel: "webhook", chat: "ops" },
      other: { channel: "webhook", chat: "build" },
      refuse: (sends: number) => receiver.answer(503, sends),
      write: async (id: number, text: string) => {
        const posted = postSigned(Number(await port), { id: String(id), chat: "ops", sender: "ada", text });
        answers.set(id, posted);
        // A listener that closes under a waiting request is no failure of the test.
        posted.then(({ status }) => status < 300 && waitFor(id).resolve()).catch(() => {});
      },
      acknowledged: (id: number) => waitFor(id).promise,
      shown: () =>
        receiver.received.map(({ body }) => ({
          to: { channel: "webhook", chat: String(body["chat"]) },
          text: String(body["text"]),
        })),
      [Symbol.asyncDispose]: async () => {
        await Promise.allSettled(answers.values());
        await receiver[Symbol.asyncDispose]();
      },
    };
  },
);

const REPLY: OutboundMessage = {
  reply: "r-1",
  to: { channel: "webhook", chat: "ops" },
  kind: "message",
  parts: [{ type: "text", text: "the build is green ✓" }],
};
const NEVER = new AbortController().signal;

test("CH7 what leaves is signed over time and bytes and carries the reply id as idempotency key", async () => {
  await using receiver = await startReceiver();
  const channel = webhook({ url: receiver.url });
  await channel.send(REPLY, NEVER);
  const [{ headers, raw, body }] = receiver.received as [(typeof receiver.received)[number]];
  expect(body).toEqual({ reply: "r-1", kind: "message", chat: "ops", text: "the build is green ✓", at: body["at"] });
  expect(Math.abs(Date.parse(String(body["at"])) - Date.now())).toBeLessThan(60_000);
  expect(headers["idempotency-key"]).toBe("r-1");
  const timestamp = headers["x-margay-timestamp"] ?? "";
  expect(headers["x-margay-signature"]).toBe(signatureOf(SECRET, timestamp, raw));
  expect(raw).not.toContain(SECRET);
});

for (const [status, retryable] of [
  [400, false],
  [401, false],
  [404, false],
  [410, false],
  [302, false],
  [408, true],
  [429, true],
  [500, true],
  [503, true],
] as const)
  test(`CH7 a receiver that answers ${status} is ${retryable ? "tried again" : "given up"}`, async () => {
    await using receiver = await startReceiver();
    receiver.answer(status, 1);
    const error = await webhook({ url: receiver.url })
      .send(REPLY, NEVER)
      .catch((thrown: unknown) => thrown);
    expect(error).toMatchObject({ code: "channel.failed", retryable });
    expect(receiver.calls).toBe(1); // a redirect is not followed
  });

test("CH7 a receiver that is not there is tried again; without an address nothing is", async () => {
  const receiver = await startReceiver();
  await receiver[Symbol.asyncDispose]();
  await expect(webhook({ url: receiver.url }).send(REPLY, NEVER)).rejects.toMatchObject({ retryable: true });
  await expect(webhook({}).send(REPLY, NEVER)).rejects.toMatchObject({ code: "channel.failed", retryable: false });
});

const HELLO = { id: "1", chat: "ops", sender: "ada", text: "hello" };

test("R253 a signed message is taken, unattended, and answered by what became of it", async () => {
  const outcomes: Accepted[] = [
    { status: "accepted" } as Accepted, // the rest of it is not looked at
    { status: "duplicate" },
    { status: "refused", reason: "secret reason", answer: "ask the operator" },
    { status: "refused", reason: "secret reason" },
    { status: "refused", reason: "secret reason", answer: "later", until: "room" },
    { status: "refused", reason: "secret reason", until: "release" },
  ];
  await using listener = await listening(() => outcomes.shift());
  const { port, messages } = listener;
  expect(await postSigned(port, HELLO)).toEqual({ status: 202, body: { status: "accepted" } });
  expect(await postSigned(port, HELLO)).toEqual({ status: 200, body: { status: "duplicate" } });
  const refused = await postSigned(port, { ...HELLO, private: true, thread: "t" });
  expect(refused).toEqual({ status: 403, body: { status: "refused", answer: "ask the operator" } });
  expect(await postSigned(port, HELLO)).toEqual({ status: 403, body: { status: "refused" } });
  expect(await postSigned(port, HELLO)).toEqual({ status: 429, body: { status: "refused", answer: "later" } });
  expect(await postSigned(port, HELLO)).toEqual({ status: 503, body: { status: "refused" } });
  expect(messages[0]).toEqual({
    key: "1",
    origin: { channel: "webhook", chat: "ops" },
    from: { id: "ada", kind: "person" },
    parts: [{ type: "text", text: "hello" }],
    attended: false,
  });
  expect(messages[2]).toMatchObject({ chat: "private", origin: { thread: "t" } });
});

test("PE51 what the program behind it knows of the chat is taken as it says, and words that mean nothing are refused", async () => {
  await using listener = await listening(() => ({ status: "ignored", why: "heard" }));
  const { port, messages } = listener;
  const facts = { group: true, addressed: "reply", name: "Ada", bot: true, at: "2026-11-27T10:00:00Z" };
  const answer = await postSigned(port, { ...HELLO, ...facts });
  expect(answer).toEqual({ status: 200, body: { status: "ignored", why: "heard" } });
  expect(messages[0]).toMatchObject({
    from: { id: "ada", name: "Ada", bot: true },
    chat: "group",
    addressed: "reply",
    sentAt: Date.UTC(2026, 10, 27, 10),
  });
  for (const wrong of [{ addressed: "no" }, { addressed: 1 }, { at: "yesterday" }, { at: 5 }, { name: "" }])
    expect((await postSigned(port, { ...HELLO, ...wrong })).status).toBe(400);
  expect(messages).toHaveLength(1);
});

test("what is unsigned, wrongly signed or out of its five minutes is never looked at", async () => {
  await using listener = await listening();
  const { port, messages } = listener;
  const good = signatureOf(SECRET, String(Math.floor(Date.now() / 1000)), JSON.stringify(HELLO));
  for (const options of [
    { secret: "another" },
    { signature: "" },
    { signature: "v1=" },
    { signature: good.replace("v1=", "v2=") },
    { signature: `${good}00` },
    { late: 330 },
    { late: -330 },
  ])
    expect((await postSigned(port, HELLO, options)).status, JSON.stringify(options)).toBe(401);
  expect((await postSigned(port, HELLO, { late: 270 })).status).toBe(202);
  expect(messages).toHaveLength(1);
});

test("what is no message is refused: another path or method, other shapes, more than a megabyte (server/MAX_BODY_BYTES)", async () => {
  await using listener = await listening();
  const { port, messages } = listener;
  expect((await postSigned(port, HELLO, { path: "/other" })).status).toBe(404);
  expect((await postSigned(port, HELLO, { method: "GET" })).status).toBe(405);
  for (const body of ["", "{", "[]", "null", { ...HELLO, id: 1 }, { ...HELLO, text: "" }, { ...HELLO, sender: null }])
    expect((await postSigned(port, body)).status, JSON.stringify(body)).toBe(400);
  const head = JSON.stringify({ ...HELLO, text: "" }).length;
  expect((await postSigned(port, { ...HELLO, text: "x".repeat(1_048_577 - head) })).status).toBe(413);
  expect((await postSigned(port, { ...HELLO, text: "x".repeat(1_048_576 - head) })).status).toBe(202);
  expect(messages).toHaveLength(1);
});

test("R30 a message that could not be stored is asked for again, and the cause stays in the log", async () => {
  await using listener = await listening(() => {
    throw new Error("disk full in /var");
  });
  const { status, body } = await postSigned(listener.port, HELLO);
  expect([status, JSON.stringify(body).includes("disk")]).toEqual([503, false]);
  expect((await listener.log.logged("webhook.failed"))["message"]).toBe("disk full in /var");
});

test.each([
  [429, "238", { kind: "slow-down", scope: "channel", sent: "no", retryAfterMs: 239_000 }],
  [503, "238", { kind: "slow-down", scope: "channel" }],
  [429, "", { kind: "again", answered: false }],
  [500, "238", { kind: "again", answered: true }],
  [502, "", { kind: "again", answered: false }],
  [400, "", { kind: "refused", sent: "no" }],
] as const)("CH45 CH47 CH48 a receiver that answers %i with Retry-After %j", async (status, seconds, fault) => {
  await using receiver = await startReceiver();
  receiver.answer(status, 1, seconds === "" ? {} : { "retry-after": seconds });
  await expect(webhook({ url: receiver.url }).send(REPLY, NEVER)).rejects.toMatchObject(fault);
});

test("CH45 a connection that was refused certainly took nothing with it, one that broke may have", async () => {
  const receiver = await startReceiver();
  await receiver[Symbol.asyncDispose]();
  await expect(webhook({ url: receiver.url }).send(REPLY, NEVER)).rejects.toMatchObject({ sent: "no" });
  const server = createServer((socket) => socket.once("data", () => socket.destroy()));
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address() as AddressInfo;
  const broken = webhook({ url: `http://127.0.0.1:${port}/` }).send(REPLY, NEVER);
  await expect(broken).rejects.toMatchObject({ kind: "again", sent: "maybe" });
  server.close();
});

function webhook({ url, port, log = eventLog() }: { url?: string; port?: number; log?: EventLog }) {
  return createWebhook({
    id: "webhook",
    secret: SECRET,
    url: url === undefined ? undefined : new URL(url),
    port,
    clock: systemClock(),
    log,
  });
}

async function listening(answer: (message: InboundMessage) => Accepted | undefined = () => undefined) {
  const messages: InboundMessage[] = [];
  const log = eventLog();
  const stop = new AbortController();
  const running = webhook({ port: 0, log }).run(
    {
      // oxlint-disable-next-line require-await -- the contract is asynchronous
      accept: async (message) => {
        messages.push(message);
        return answer(message) ?? ({ status: "accepted" } as Accepted); // the rest of it is not looked at
      },
      admits: () => Promise.resolve(true),
      edited: () => Promise.reject(new Error("nobody changes anything here")),
      reacted: () => Promise.resolve("ignored"),
      undelivered: () => Promise.reject(new Error("nothing is lost here")),
      removed: () => Promise.reject(new Error("nobody takes anything back here")),
      press: () => Promise.reject(new Error("A webhook has no buttons.")),
    },
    stop.signal,
  );
  const close = async (): Promise<void> => {
    stop.abort(new Error("enough"));
    await running;
  };
  onTestFinished(close);
  return { port: Number((await log.logged("channel.listening"))["port"]), messages, log, [Symbol.asyncDispose]: close };
}
