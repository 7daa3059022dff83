import { once } from "node:events";
import { ImapFlow } from "imapflow";
import nodemailer from "nodemailer";
import PostalMime from "postal-mime";
import { afterAll, afterEach, beforeAll, describe, expect, test } from "vitest";
import { startMailServer, type MailServer, type MailServerOptions, type MailUser } from "./peer.ts";
import type { SmtpFault } from "./smtp-receiver.ts";

let server: MailServer;
// After every test: a client that breaks the standard here breaks it everywhere.
afterEach(({ expect: shall }) => shall(server.smtp.violations).toEqual([]));
beforeAll(async () => {
  server = await startMailServer({ keepsSent: true });
});
afterAll(async () => {
  await server[Symbol.asyncDispose]();
});

async function imap(user: MailUser = "bot", to: MailServer = server) {
  const client = new ImapFlow({
    host: to.host,
    port: to.imapPort,
    secure: false,
    auth: { user, pass: to.password },
    logger: false,
  });
  client.on("error", () => undefined); // told to whoever waits
  await client.connect();
  return client;
}

function smtp(options: { readonly pass?: string; readonly socketTimeout?: number } = {}) {
  return nodemailer.createTransport({
    host: server.host,
    port: server.smtpPort,
    secure: false,
    auth: { user: "bot@mail.test", pass: options.pass ?? server.password },
    ...(options.socketTimeout !== undefined && { socketTimeout: options.socketTimeout }),
  });
}

const mail = (messageId: string, more: { readonly to?: string; readonly text?: string } = {}) => ({
  from: "Bot <bot@mail.test>",
  to: "bert@mail.test",
  subject: "你好",
  text: ".a line with a dot\n..\n\nfrom here",
  messageId,
  ...more,
});

async function withServer(options: MailServerOptions, use: (own: MailServer) => Promise<void>): Promise<void> {
  await using own = await startMailServer(options);
  await use(own);
}

describe("what arrives", () => {
  test("CH100 a mail is delivered as it is, IDLE tells of it, it is fetched and found by its Message-ID", async () => {
    const client = await imap("anna");
    await client.mailboxOpen("INBOX");
    const told = once(client, "exists");
    const idle = client.idle();
    const raw =
      "From: Bert <bert@mail.test>\nMessage-ID: <fixed-1@mail.test>\nSubject: =?utf-8?B?5L2g5aW9?=\n\n.dot\nten: 10\n";
    await server.deliver(raw, { to: "anna", from: "bert@mail.test" });
    await told;
    await client.noop();
    await idle;
    const uids = await client.search({ header: { "message-id": "<fixed-1@mail.test>" } }, { uid: true });
    expect(uids).toHaveLength(1);
    const found = await client.fetchOne(String((uids as number[])[0]), { source: true, envelope: true }, { uid: true });
    if (found === undefined || found === false || found.source === undefined)
      throw new Error("The mail has no source.");
    expect(found.envelope?.subject).toBe("你好");
    const parsed = await PostalMime.parse(found.source);
    expect(parsed.text).toBe(".dot\nten: 10\n");
    expect(parsed.headers[0]).toMatchObject({ key: "return-path", value: "<bert@mail.test>" });
    expect(server.mailbox("anna")).toEqual([expect.stringContaining(raw)]);
    await client.logout();
  });

  test("CH100 a bounce has no sender, a folder of its own can be filled, a wrong password is refused", async () => {
    await server.deliver("Subject: undelivered\n\nx\n", { to: "anna", from: "", folder: "Bounces" });
    expect(server.mailbox("anna", "Bounces")[0]).toMatch(/^Return-Path: <>\n/);
    const client = new ImapFlow({
      host: server.host,
      port: server.imapPort,
      secure: false,
      auth: { user: "bot", pass: "no" },
      logger: false,
    });
    await expect(client.connect()).rejects.toMatchObject({ authenticationFailed: true });
  });

  test("CH100 it stops and starts on the same ports with the same mails; a new UIDVALIDITY is another one", async () => {
    await withServer({}, async (own) => {
      await own.deliver("Subject: one\n\nx\n");
      const validity = async (): Promise<bigint> => {
        const client = await imap("bot", own);
        const { uidValidity, exists } = await client.mailboxOpen("INBOX");
        expect(exists).toBe(1);
        await client.logout();
        return uidValidity;
      };
      const first = await validity();
      await own.stop();
      await expect(imap("bot", own)).rejects.toMatchObject({ code: "ECONNREFUSED" });
      await own.start();
      expect(await validity()).toBe(first);
      await own.stop();
      own.renumber("bot");
      await own.start();
      expect(await validity()).not.toBe(first);
    });
  });

  test("CH103 killed, connections break; frozen, they are silent until it is thawed", async () => {
    await withServer({}, async (own) => {
      const client = await imap("bot", own);
      await client.mailboxOpen("INBOX");
      own.freeze();
      const noop = client.noop().then(() => "answered");
      const silent = new Promise((resolve) => setTimeout(resolve, 300, "silent"));
      expect(await Promise.race([noop, silent])).toBe("silent");
      own.thaw();
      expect(await noop).toBe("answered");
      const closed = once(client, "close");
      await own.kill();
      await closed;
      await own.start();
      await (await imap("bot", own)).logout();
    });
  });

  test("CH211 a server without IDLE does not offer it", async () => {
    await withServer({ idle: false }, async (own) => {
      const client = await imap("bot", own);
      expect(client.capabilities.has("IDLE")).toBe(false);
      expect(client.capabilities.has("UIDPLUS")).toBe(true);
      await client.logout();
    });
    const client = await imap();
    expect(client.capabilities.has("IDLE")).toBe(true);
    await client.logout();
  });
});

describe("what leaves", () => {
  test("CH100 a mail that is sent arrives as it was, and lies in Sent", async () => {
    await smtp().sendMail(mail("<sent-1@mail.test>"));
    const arrived = server.mailbox("bert").find((raw) => raw.includes("<sent-1@mail.test>")) ?? "";
    expect((await PostalMime.parse(arrived)).text).toBe(".a line with a dot\n..\n\nfrom here\n");
    expect(server.smtp.taken.at(-1)).toMatchObject({
      from: "bot@mail.test",
      to: ["bert@mail.test"],
      user: "bot@mail.test",
    });
    const client = await imap();
    await client.mailboxOpen("Sent");
    expect(await client.search({ header: { "message-id": "<sent-1@mail.test>" } }, { uid: true })).toHaveLength(1);
    expect((await client.list()).find(({ specialUse }) => specialUse === "\\Sent")?.path).toBe("Sent");
    await client.logout();
    expect(server.smtp.transcript.join("\n")).not.toContain(Buffer.from(server.password).toString("base64"));
  });

  const arrived = (id: string): boolean => server.mailbox("bert").some((raw) => raw.includes(id));

  test.each<[what: string, fault: SmtpFault, error: object, arrives: boolean]>([
    ["4xx at RCPT", { at: "rcpt", reply: "451 4.3.0 Try later" }, { responseCode: 451 }, false],
    ["5xx at MAIL", { at: "mail", reply: "550 5.7.1 No" }, { responseCode: 550 }, false],
    ["4xx at DATA", { at: "data", reply: "450 4.2.0 Greylisted" }, { responseCode: 450 }, false],
    ["5xx after the dot", { at: "dot", reply: "554 5.6.0 No" }, { responseCode: 554 }, false],
    ["552 after the dot", { at: "dot", reply: "552 5.3.4 Too big" }, { responseCode: 552 }, false],
    ["535 at login", { at: "auth", reply: "535 5.7.8 No" }, { code: "EAUTH", responseCode: 535 }, false],
    ["421 at the start", { at: "connect", reply: "421 4.3.2 Closing" }, { responseCode: 421 }, false],
    ["an end at the start", { at: "connect", drop: true }, { code: "ECONNECTION" }, false],
    ["an end before DATA", { at: "data", drop: true }, { code: "ECONNECTION" }, false],
    ["an end after the dot, lost", { at: "dot", drop: true }, { code: "ECONNECTION" }, false],
    ["an end after the dot, taken", { at: "dot", drop: true, taken: true }, { code: "ECONNECTION" }, true],
    ["silence after the dot", { at: "dot", silent: true }, { code: "ETIMEDOUT" }, false],
  ])("CH103 %s", async (what, fault, error, arrives) => {
    const id = `<${what.replaceAll(/\W/g, "-")}@mail.test>`;
    server.smtp.misbehave(fault);
    await expect(smtp({ socketTimeout: 500 }).sendMail(mail(id))).rejects.toMatchObject(error);
    expect(arrived(id)).toBe(arrives);
    await smtp().sendMail(mail(id)); // the next one is as usual
    expect(arrived(id)).toBe(true);
  });

  test("CH103 slow, twice", async () => {
    server.smtp.misbehave({ at: "mail", delayMs: 200 }, 2);
    for (const id of ["<slow-1@mail.test>", "<slow-2@mail.test>"]) {
      const started = performance.now();
      await smtp().sendMail(mail(id));
      expect(performance.now() - started).toBeGreaterThan(190);
      expect(arrived(id)).toBe(true);
    }
  });

  test("CH101 a wrong password, nobody's address, a mail that is too big: told as servers do", async () => {
    await expect(smtp({ pass: "no" }).sendMail(mail("<p@x>"))).rejects.toMatchObject({
      code: "EAUTH",
      responseCode: 535,
    });
    await expect(smtp().sendMail(mail("<q@x>", { to: "carl@mail.test" }))).rejects.toMatchObject({ responseCode: 550 });
    server.smtp.maxBytes = 1_000;
    try {
      await expect(smtp().sendMail(mail("<r@x>", { text: "x ".repeat(2_000) }))).rejects.toMatchObject({
        responseCode: 552,
      });
    } finally {
      server.smtp.maxBytes = 35_000_000;
    }
  });
});
