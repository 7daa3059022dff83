// CH217: a mail that a server had taken comes back, against a real dovecot and the built gateway.
import { execFile } from "node:child_process";
import { promisify } from "node:util";
import { says } from "@margay/core/testing";
import PostalMime from "postal-mime";
import { expect, onTestFinished, test } from "vitest";
import { killedGateway, PROGRAM, type Running } from "../../../packages/app/test/durability/killed-gateway.ts";
import { type MailServer } from "./peer.ts";
import { mail, mailServer, settings, start, temporary } from "./support.ts";

interface Report {
  /** Of the mail that it is about. */
  readonly of: string;
  readonly action?: string;
  readonly said?: string;
  readonly to?: string;
}

/** As Postfix writes it. */
function bounce({ of, action = "failed", said = "550 5.1.1 No such user", to = "anna@mail.test" }: Report): string {
  return [
    "From: MAILER-DAEMON@mx.test (Mail Delivery System)",
    "To: bot@mail.test",
    "Subject: Undelivered Mail Returned to Sender",
    "Auto-Submitted: auto-replied",
    `Message-ID: <${of.replaceAll(/\W/g, "")}.${action}@mx.test>`,
    "MIME-Version: 1.0",
    'Content-Type: multipart/report; report-type=delivery-status; boundary="b"',
    "",
    ...["--b", "Content-Type: text/plain", "", "I'm sorry to have to inform you …"],
    ...["--b", "Content-Type: message/delivery-status", "", "Reporting-MTA: dns; mx.test", ""],
    ...[`Final-Recipient: rfc822; ${to}`, `Action: ${action}`, "Status: 5.1.1", `Diagnostic-Code: smtp; ${said}`, ""],
    ...["--b", "Content-Type: text/rfc822-headers", "", "From: bot@mail.test", `Message-ID: ${of}`, ""],
    "--b--",
    "",
  ].join("\r\n");
}

const CAME_BACK = { from: "" };

/** The mails that anna has, oldest first. */
async function mailsOf(server: MailServer) {
  return Promise.all(server.mailbox("anna").map((raw) => PostalMime.parse(raw)));
}

const idsOf = async (server: MailServer): Promise<readonly string[]> =>
  (await mailsOf(server)).map(({ messageId = "" }) => messageId);

const piece = {
  reply: "r1",
  to: { channel: "mail", chat: "anna@mail.test", thread: "t" },
  kind: "reply",
  parts: [{ type: "text", text: "x" }],
} as const;

test("CH217 a report of failure about a mail of ours is told once, with the words of the server; others are not", async () => {
  const server = await mailServer();
  const running = start(server, temporary());
  await running.up();
  const { signal } = new AbortController();
  await running.channel.send(piece, signal);
  const [of = ""] = await idsOf(server);
  const foreign = "<margay.0123456789abcdefghijklmnopqrstuv@mail.test>"; // the form alone is no proof
  for (const report of [
    bounce({ of, action: "delayed" }),
    bounce({ of, action: "delivered" }),
    bounce({ of: foreign }),
  ])
    await server.deliver(report, CAME_BACK);
  await server.deliver(bounce({ of, said: "550 5.1.1\r\n No such user" }), CAME_BACK);
  await running.lost(1);
  await server.deliver(bounce({ of, said: "a second one" }), CAME_BACK);
  await server.deliver(mail({ id: "after" }));
  await running.received(1);
  const { to } = piece;
  expect(await running.lost(1)).toEqual([{ reply: "r1", to, reason: "anna@mail.test: 550 5.1.1 No such user" }]);
  expect(running.messages.map(({ key }) => key)).toEqual(["<after@mail.test>"]);
  expect(server.smtp.taken).toHaveLength(1); // no report is answered
});

test("CH217 who answers a mail has it, and its conversation is known, whatever a report says before", async () => {
  const server = await mailServer();
  const running = start(server, temporary());
  await running.up();
  const { signal } = new AbortController();
  await running.channel.send(piece, signal);
  const [of = ""] = await idsOf(server);
  await server.deliver(bounce({ of }), CAME_BACK);
  await running.lost(1);
  await server.deliver(mail({ id: "answer", headers: [`In-Reply-To: ${of}`] }));
  await running.received(1);
  expect(running.messages[0]?.origin).toEqual(piece.to);
});

/** The built gateway with that mailbox, and what may be asked of it. */
async function house(server: MailServer) {
  const gateway = await killedGateway({
    config: () => ({
      channels: { mail: { enabled: true, kind: "email", operators: ["anna@mail.test"], options: settings(server) } },
    }),
    answer: () => says("Dinner is at eight."),
  });
  onTestFinished(() => gateway.close());
  const begin = async (): Promise<Running> => {
    const started = await gateway.start();
    if (started === undefined) throw new Error("it does not listen");
    return started;
  };
  let running = await begin();
  const api = async (path: string, init: RequestInit = {}) => {
    const headers = { authorization: `Bearer ${running.token}` };
    const answer = await fetch(`${running.url}/api/v1${path}`, { ...init, headers });
    return { status: answer.status, body: JSON.parse((await answer.text()) || "{}") };
  };
  await expect.poll(async () => (await api("/channels/mail")).body.state, { timeout: 20_000 }).toBe("up");
  return {
    gateway,
    api,
    waiting: async () => (await api("/outbox")).body.items,
    /** What its chat shows of deliveries. */
    deliveries: async (session: string) => {
      const { items } = (await api(`/sessions/${session}/messages`)).body;
      return items.filter(({ kind }: { kind: string }) => kind === "delivery");
    },
    again: async () => {
      running.kill();
      await running.gone;
      running = await begin();
    },
  };
}

const LATE = { timeout: 20_000 };

test("CH217 CH53 a reply that comes back is shown as failed with what the server said, also after a kill; sent again it is another mail", async () => {
  const server = await mailServer({ keepsSent: true });
  const { gateway, api, waiting, deliveries, again } = await house(server);
  await server.deliver(mail({ id: "ask", text: "when?" }));
  await expect.poll(() => server.mailbox("anna").length, LATE).toBe(1);
  const [first = ""] = await idsOf(server);
  await server.deliver(bounce({ of: first }), CAME_BACK);
  const failed = {
    state: "failed",
    text: "Dinner is at eight.",
    error: expect.stringContaining("550 5.1.1 No such user"),
  };
  await expect.poll(waiting, LATE).toMatchObject([failed]);

  await again();
  const [item] = await waiting();
  expect(item).toMatchObject(failed);
  const shown = { reply: item.reply, state: "failed", error: { message: item.error } };
  expect((await deliveries(item.session)).at(-1)).toMatchObject(shown);
  expect((await api(`/outbox/${encodeURIComponent(item.reply)}/retry`, { method: "POST" })).status).toBe(200);
  await expect.poll(() => server.mailbox("anna").length, LATE).toBe(2);
  await expect.poll(waiting, LATE).toEqual([]);
  const [, second] = await mailsOf(server);
  expect([second?.messageId !== first, second?.text?.trim()]).toEqual([true, "Dinner is at eight."]);
  expect(gateway.model.requests).toHaveLength(1);
});

test("CH217 the answer to a command that comes back is shown as failed, and is no second row", async () => {
  const server = await mailServer();
  const { gateway, waiting, deliveries, again } = await house(server);
  await server.deliver(mail({ id: "ask", text: "/status" }));
  await expect.poll(() => server.mailbox("anna").length, LATE).toBe(1);
  const [first = ""] = await idsOf(server);
  await server.deliver(bounce({ of: first }), CAME_BACK);
  await expect.poll(waiting, LATE).toMatchObject([{ state: "failed" }]);
  const [{ reply, session }] = await waiting();
  expect(await deliveries(session)).toMatchObject([{ reply, state: "failed" }]);
  await again(); // what the command line reads is on the disk
  const env = { ...process.env, MARGAY_HOME: gateway.home, NO_COLOR: "1" };
  const { stdout } = await promisify(execFile)(process.execPath, [PROGRAM, "sessions", "search", "mock-model"], {
    env,
  });
  expect(stdout.match(/mock-model/g)).toHaveLength(1);
});
