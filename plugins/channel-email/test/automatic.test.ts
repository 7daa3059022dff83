import fc from "fast-check";
import PostalMime from "postal-mime";
import { describe, expect, test } from "vitest";
import { automatic, type AutomaticReason } from "../src/automatic.ts";
import { isOurs, messageIdOf } from "../src/message-id.ts";
import { fixture } from "./fixtures.ts";

const own = { addresses: ["bot@mail.test", "Hello@Mail.test"], isOwnId: (id: string) => isOurs(id, "mail.test") };
const ID = "<margay.0123456789abcdefghijklmnopqrstuv@mail.test>";

async function ask(header: string, body = "text") {
  const from = /^From:/im.test(header) ? "" : "From: Anna <anna@example.org>\r\n";
  return automatic(await PostalMime.parse(`${from}${header}\r\n\r\n${body}\r\n`), own);
}

describe("mails that are never answered", () => {
  test.each<[header: string, why: AutomaticReason]>([
    [`Message-ID: ${messageIdOf("email", "r", "mail.test")}`, "own-message-id"],
    ["From: Bot <BOT@mail.test>", "own-address"],
    ['From: "x" <hello@mail.test>', "own-address"],
    ["From: anna@example.org\r\nSender: <bot@mail.test>", "own-address"],
    ["Auto-Submitted: auto-replied", "auto-submitted"],
    ["Auto-Submitted: auto-generated (by a machine)", "auto-submitted"],
    ["auto-submitted: AUTO-NOTIFIED; owner-email=x", "auto-submitted"],
    ["X-Auto-Response-Suppress: OOF, AutoReply", "auto-response-suppress"],
    ["X-Autoreply: yes", "autoreply"],
    ["Precedence: bulk", "precedence"],
    ["Precedence: Junk", "precedence"],
    ["Precedence: list", "precedence"],
    ["List-Id: Friends <friends.example.org>", "list"],
    ["List-Unsubscribe: <https://example.org/u>", "list"],
    ["Return-Path: <>", "null-sender"],
    ["From: Mail Delivery Subsystem <MAILER-DAEMON@example.org>", "mailer-daemon"],
    ["From: postmaster@example.org", "mailer-daemon"],
    ["Content-Type: multipart/report; report-type=disposition-notification; boundary=b", "receipt"],
    ["Content-Type: text/calendar; method=REPLY", "calendar-reply"],
  ])("CH212 %j: %s", async (header, why) => {
    expect(await ask(header)).toEqual({ why });
  });

  test("CH212 the answer of a calendar, by its part and by its text", async () => {
    expect(automatic(await fixture("calendar-reply"), own)).toEqual({ why: "calendar-reply" });
    const untold = await ask("Content-Type: text/calendar", "BEGIN:VCALENDAR\r\nMETHOD:REPLY\r\nEND:VCALENDAR");
    expect(untold).toEqual({ why: "calendar-reply" });
  });

  test.each([
    "X: nothing",
    "Auto-Submitted: no",
    "Auto-Submitted: No (really)",
    "X-Auto-Response-Suppress: None",
    "Precedence: normal",
    "Precedence: first-class",
    "Return-Path: <anna@example.org>",
    'From: "bot@mail.test" <anna@example.org>',
    "From: postmasters@example.org",
    "X-List-Id: x",
    "Message-ID: <margay@mail.test>",
    "Content-Type: text/calendar; method=REQUEST",
  ])("CH212 %j is of a person", async (header) => {
    expect(await ask(header)).toBeUndefined();
  });

  test.each(["gmail-reply", "outlook-web", "apple-mail", "thunderbird-inline", "qq", "netease-163"])(
    "CH212 %s is of a person",
    async (name) => {
      expect(automatic(await fixture(name), own)).toBeUndefined();
    },
  );
});

describe("bounces", () => {
  test("CH217 a bounce names the mail that came back, and nothing that is quoted in it", async () => {
    const bounce = automatic(await fixture("bounce-postfix"), own);
    const reason = "<nobody@example.org>: host mx.example.org said: 550 5.1.1 User unknown";
    expect(bounce).toEqual({ why: "delivery-report", report: { messageIds: [ID], failed: true, reason } });
  });

  const report = (action: string, type = "text/rfc822-headers"): [header: string, body: string] => [
    "Return-Path: <>\r\nContent-Type: multipart/report; report-type=delivery-status; boundary=b",
    `--b\r\n\r\nx\r\n--b\r\nContent-Type: message/delivery-status\r\n\r\nReporting-MTA: dns; x\r\n\r\nAction: ${action}\r\n--b\r\nContent-Type: ${type}\r\n\r\nMessage-ID: ${ID}\r\n--b--`,
  ];

  test.each([
    ["failed", true],
    ["delayed", false],
    ["delivered", false],
    ["relayed", false],
  ])("CH217 a report of %s: the mail is lost: %s", async (action, failed) => {
    for (const type of ["text/rfc822-headers", "message/rfc822"])
      expect((await ask(...report(action, type)))?.report).toMatchObject({ messageIds: [ID], failed });
  });

  test("CH217 one without the original names it in In-Reply-To, and not what came before", async () => {
    const header = `From: mailer-daemon@x.test\r\nIn-Reply-To: ${ID}\r\nReferences: <older@x> ${ID}\r\nContent-Type: multipart/report; report-type="delivery-status"; boundary=b`;
    expect((await ask(header, "--b\r\n\r\nx\r\n--b--"))?.report).toMatchObject({ messageIds: [ID], failed: true });
  });

  test("CH217 one of qmail quotes the header in its text", async () => {
    const text = `Hi. This is the qmail-send program.\r\n\r\n--- Below this line is a copy of the message.\r\n\r\nFrom: bot@mail.test\r\nMessage-ID: ${ID}\r\n\r\nhello`;
    expect((await ask("From: MAILER-DAEMON@x.test", text))?.report).toMatchObject({ messageIds: [ID], failed: true });
  });

  test("CH217 whom it did not reach and why is said in the words of the server, not longer than a few lines", async () => {
    const status = (fields: string): string =>
      `--b\r\n\r\nx\r\n--b\r\nContent-Type: message/delivery-status\r\n\r\nReporting-MTA: dns; x\r\n\r\n${fields}\r\n--b--`;
    const header = `In-Reply-To: ${ID}\r\nContent-Type: multipart/report; report-type=delivery-status; boundary=b`;
    const said = async (fields: string) => (await ask(header, status(fields)))?.report;
    const folded =
      "Final-Recipient: rfc822; bert@x.test\r\nAction: failed\r\nDiagnostic-Code: smtp; 550 5.1.1\r\n No such user";
    expect(await said(folded)).toEqual({
      messageIds: [ID],
      failed: true,
      reason: "bert@x.test: 550 5.1.1 No such user",
    });
    const mixed = `Final-Recipient: rfc822; anna@x.test\r\nAction: relayed\r\n\r\n${folded}`;
    expect((await said(mixed))?.reason).toBe("bert@x.test: 550 5.1.1 No such user");
    const long = await said(`Action: failed\r\nDiagnostic-Code: x; ${"ab ".repeat(5000)}`);
    expect(long?.reason.length).toBe(400);
  });

  test.each([
    ["Subject: Warning: message delayed 4 hours", "It has not yet been delivered. Delivery will be retried."],
    ["Subject: Returned mail", "**  THIS IS A WARNING MESSAGE ONLY  **\r\nYou do not need to resend."],
    ["Subject: =?utf-8?B?6YCA5L+h?=", "您的邮件投递延迟，系统将继续尝试。"],
  ])("CH217 a plain one that promises to try again is no failure: %s", async (subject, text) => {
    const header = `From: MAILER-DAEMON@x.test\r\n${subject}\r\nContent-Type: text/plain; charset=utf-8`;
    const quoted = `\r\n--- The header of the original message follows ---\r\n\r\nMessage-ID: ${ID}\r\n`;
    expect((await ask(header, text + quoted))?.report).toMatchObject({ messageIds: [ID], failed: false });
    const words = "I could not deliver it.";
    expect((await ask(header.replace(subject, "Subject: failure"), words + quoted))?.report).toMatchObject({
      failed: true,
    });
  });

  test("CH217 a person who quotes a Message-ID reports nothing", async () => {
    expect(await ask("Subject: what is this?", `Message-ID: ${ID}`)).toBeUndefined();
  });
});

test("CH212 no mail throws", async () => {
  await fc.assert(
    fc.asyncProperty(fc.string({ unit: "binary" }), fc.string({ unit: "binary" }), async (header, body) => {
      await ask(`X: ${header}`, body);
      automatic(
        { headers: [{ key: header, value: body }], text: body, attachments: [{ mimeType: header, content: body }] },
        own,
      );
    }),
    { numRuns: 200 },
  );
});
