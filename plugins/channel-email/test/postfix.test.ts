// A real postfix before the real dovecot: people and margay send through it, what it cannot deliver comes back, and it is killed.
import { createHash, randomBytes } from "node:crypto";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import type { Json } from "@margay/core";
import { callsTool, says } from "@margay/core/testing";
import nodemailer from "nodemailer";
import type { Email } from "postal-mime";
import { expect, onTestFinished, test } from "vitest";
import { killedGateway } from "../../../packages/app/test/durability/killed-gateway.ts";
import type { MailServer } from "./peer.ts";
import type { PostfixManners } from "./postfix.ts";
import {
  channelOf,
  clear,
  encrypted,
  gatewayWith,
  house,
  LATE,
  mailsOf,
  sendAlone,
  waitingIn,
  wireTo,
} from "./postfix-house.ts";
import { mail } from "./support.ts";
import type { Cut } from "./wire.ts";

const digest = (bytes: Uint8Array): string => createHash("sha256").update(bytes).digest("hex");

test("CH100 CH214 CH216 CH218 over TLS a mail and its file go through postfix, and the answer and its file come through it once, as they were", async () => {
  const { server, postfix, certificate } = await house();
  const [theirs, ours] = [randomBytes(3_000_000), randomBytes(3_000_000)];
  const subject = `关于春节聚餐的安排${"，请大家看一看".repeat(6)}`;
  const text = `好的，晚上八点见。${"一行很长的中文".repeat(100)}\n.一个点\n..`;
  const gateway = await killedGateway({
    config: (workspace) => {
      writeFileSync(join(workspace, "菜单.bin"), ours);
      return { channels: { mail: channelOf(encrypted({ server, postfix }), ["anna@mail.test"]) } };
    },
    answer: ({ messages }) =>
      messages.some(({ role }) => role === "tool")
        ? says(text)
        : callsTool("message", { content: "菜单在这里", media: ["菜单.bin"] }),
  });
  onTestFinished(() => gateway.close());
  const trusting = { NODE_EXTRA_CA_CERTS: certificate.authority };
  const running = await gateway.start(undefined, { environment: trusting });
  const headers = { authorization: `Bearer ${running?.token}`, "content-type": "application/json" };
  const api = async (path: string, init: RequestInit = {}) =>
    JSON.parse(await (await fetch(`${running?.url}/api/v1${path}`, { headers, ...init })).text());
  await expect.poll(async () => (await api("/channels/mail")).state, LATE).toBe("up");
  const person = nodemailer.createTransport({
    host: "127.0.0.1",
    port: postfix.clearPort,
    ignoreTLS: true,
    auth: { user: "anna", pass: server.password },
  });
  const attachments = [{ filename: "照片.bin", content: theirs }];
  const question = { from: "anna@mail.test", to: "bot@mail.test", messageId: "<question@mail.test>" };
  await person.sendMail({ ...question, subject, text: "几点？", attachments });
  await expect.poll(() => server.mailbox("anna").length, LATE).toBe(2);
  await expect.poll(() => postfix.waiting(), LATE).toBe(0);

  const records = () => [...gateway.journals().values()].flat().flatMap((commit) => commit.records);
  await expect.poll(() => records().filter(({ type }) => type === "reply.delivered").length, LATE).toBe(2);
  const [file, answer, ...others] = await mailsOf(server, "anna");
  expect(others).toEqual([]);
  const sent = records().flatMap((record) => (record.type === "reply.delivered" ? (record.ids ?? []) : []));
  expect([file?.messageId, answer?.messageId]).toEqual(sent);
  expect(answer).toMatchObject({
    subject: `Re: ${subject}`,
    inReplyTo: "<question@mail.test>",
    references: "<question@mail.test>",
  });
  expect(answer?.text?.trimEnd()).toBe(text);
  const [attached] = file?.attachments ?? [];
  expect([attached?.filename, digest(new Uint8Array(attached?.content as ArrayBuffer))]).toEqual([
    "菜单.bin",
    digest(ours),
  ]);
  expect(JSON.stringify(records())).toContain(digest(theirs));
  expect(gateway.model.requests[0]?.raw).toContain("照片.bin");
  // The other ways of TLS, and a certificate that is another server's.
  const tried = async (options: Readonly<Record<string, Json>>) =>
    api("/channels/mail/test", { method: "POST", body: JSON.stringify({ draft: { options } }) });
  const direct = { smtpPort: postfix.tlsPort, smtpSecurity: "tls" };
  const begun = { imapPort: server.imapPort, imapSecurity: "starttls" };
  expect(await tried({ ...encrypted({ server, postfix }), ...direct, ...begun })).toMatchObject({ ok: true });
  for (const kind of ["imap", "smtp"])
    expect(await tried({ ...encrypted({ server, postfix }), [`${kind}Host`]: "127.0.0.1" })).toMatchObject({
      ok: false,
      detail: expect.stringContaining(`Set options.${kind}Host to the name`),
    });
});

test("CH217 CH218 a mail that is larger than postfix takes is refused in its words", async () => {
  const { server, postfix } = await house({ maxBytes: 1_000_000 });
  expect(await sendAlone(clear({ server, postfix }), randomBytes(2_000_000))).toMatchObject({
    kind: "refused",
    sent: "no",
    message: expect.stringContaining("552 5.3.4"),
  });
  expect(await sendAlone(clear({ server, postfix }), randomBytes(500_000))).toBe("sent");
});

/** Mails of ours that the server has put into Sent, by their addressee. */
async function sentTo(server: MailServer, address: string): Promise<readonly Email[]> {
  return (await mailsOf(server, "bot", "Sent")).filter(({ to }) => to?.[0]?.address === address);
}

test("CH217 what the next hop refuses comes back from postfix: it is shown as failed, and nobody answers it", async () => {
  const { server, postfix } = await house({ keepsSent: true });
  const gateway = await gatewayWith(clear({ server, postfix }), ["carl@far.test", "anna@mail.test"]);
  gateway.model.replies(says("Dinner is at eight."), says("Still here."));
  await server.deliver(mail({ id: "ask", from: "carl@far.test", text: "when?" }), { from: "carl@far.test" });
  await expect
    .poll(() => waitingIn(gateway), LATE)
    .toMatchObject([
      {
        state: "failed",
        text: "Dinner is at eight.",
        error: expect.stringContaining("550 5.1.1 <carl@far.test>: Recipient address rejected: No such user here"),
      },
    ]);
  await server.deliver(mail({ id: "next", text: "are you there?" }));
  await expect.poll(() => server.mailbox("anna").length, LATE).toBe(1);
  await expect.poll(() => postfix.waiting(), LATE).toBe(0);
  expect(await sentTo(server, "carl@far.test")).toHaveLength(1);
  expect(server.mailbox("bot", "Sent")).toHaveLength(2);
  expect(server.mailbox("bot").filter((raw) => raw.includes("Action: failed"))).toHaveLength(1);
  expect(gateway.model.requests).toHaveLength(2);
});

test("CH217 that a mail comes later is no failure; that it never came is one, although it was told before", async () => {
  const { server, postfix } = await house({ keepsSent: true, isPatient: true });
  const gateway = await gatewayWith(clear({ server, postfix }), ["dora@late.test", "anna@mail.test"]);
  gateway.model.replies(says("Dinner is at eight."), says("Still here."));
  await server.deliver(mail({ id: "ask", from: "dora@late.test", text: "when?" }), { from: "dora@late.test" });
  const reports = (action: string): number =>
    server.mailbox("bot").filter((raw) => raw.includes(`Action: ${action}`)).length;
  await expect.poll(() => reports("delayed"), LATE).toBe(1);
  // What came behind it was read: it was too.
  await server.deliver(mail({ id: "next", text: "are you there?" }));
  await expect.poll(() => server.mailbox("anna").length, LATE).toBe(1);
  await gateway.app.agent.idle();
  expect(await waitingIn(gateway)).toEqual([]);
  await postfix.kill();
  await postfix.start({ isPatient: false });
  const failed = { state: "failed", text: "Dinner is at eight.", error: expect.stringContaining("Connection refused") };
  await expect.poll(() => waitingIn(gateway), LATE).toMatchObject([failed]);
  expect([reports("delayed"), reports("failed")]).toEqual([1, 1]);
  expect(await sentTo(server, "dora@late.test")).toHaveLength(1);
  expect(gateway.model.requests).toHaveLength(2);
});

const QUEUED = /^250 2\.0\.0 Ok: queued/m;
const KILLS: readonly (Omit<Cut, "act"> & { readonly name: string })[] = [
  { name: "when it is asked for", by: "client", word: /^EHLO/, passes: "nothing" },
  { name: "when it is ready for the mail", by: "server", word: /^354 /m, passes: "nothing" },
  { name: "in the middle of the mail", by: "client", word: /X-Margay/, passes: "half" },
  { name: "when it has the mail and has not said so", by: "server", word: QUEUED, passes: "nothing" },
  { name: "when it has said that it has the mail", by: "server", word: QUEUED, passes: "all" },
];

interface Waits {
  readonly nextAt?: number;
}

/** Its postfix holds what it takes until it is asked for: killed while it hands on it may hand on twice, as any mail server. */
async function killedHouse(given: PostfixManners, people: readonly string[]) {
  const manners = { ...given, isHolding: true, isPatient: true };
  const { server, postfix } = await house(manners);
  const wire = await wireTo(postfix.clearPort);
  const gateway = await gatewayWith(clear({ server, postfix }, wire.port), people);
  const arrived = async (): Promise<void> => {
    await postfix.release();
    await expect.poll(() => postfix.waiting(), LATE).toBe(0);
  };
  const isWaiting = async (): Promise<boolean> =>
    ((await waitingIn(gateway)) as readonly Waits[]).every(({ nextAt = 0 }) => nextAt > Date.now()); // its schema says so
  return {
    server,
    /** A person writes, and postfix dies while they are answered. */
    async killed(index: number, cut: Omit<Cut, "act">): Promise<void> {
      gateway.model.replies(says(`Answer ${index}.`));
      wire.cutAt({ ...cut, act: () => postfix.kill() });
      await server.deliver(mail({ id: `m${index}`, from: people[index] ?? "" }));
      await expect.poll(() => wire.isOpen, LATE).toBe(false);
      await postfix.start(manners);
      // What it had taken has arrived when anybody reaches it again, and nobody looked for it before that and sends it behind it.
      await arrived();
      await expect.poll(isWaiting, LATE).toBe(true);
      await wire.open();
      await expect.poll(() => waitingIn(gateway), LATE).toEqual([]);
      await arrived();
    },
  };
}

test("CH42 CH146 CH216 postfix is killed at five points of a send: what it takes is kept in Sent, and each answer is there once", async () => {
  const people = KILLS.map((_, index) => `anna+${index}@mail.test`);
  const { server, killed } = await killedHouse({ keepsSent: true }, people);
  for (const [index, cut] of KILLS.entries()) await killed(index, cut);
  expect(KILLS.map(({ name }, index) => [name, answersIn(server, index).length])).toEqual(
    KILLS.map(({ name }) => [name, 1]),
  );
});

test("CH43 CH216 where nothing is kept in Sent a mail whose answer was lost is there twice, with one Message-ID", async () => {
  const { server, killed } = await killedHouse({}, ["anna+0@mail.test"]);
  await killed(0, { by: "server", word: QUEUED, passes: "nothing" });
  const ids = answersIn(server, 0).map((raw) => /^message-id: (\S+)/im.exec(raw)?.[1]);
  expect([ids.length, new Set(ids).size]).toEqual([2, 1]);
});

function answersIn(server: MailServer, index: number): readonly string[] {
  return ["INBOX", String(index)].flatMap((folder) =>
    server.mailbox("anna", folder).filter((raw) => raw.includes(`Answer ${index}.`)),
  );
}
