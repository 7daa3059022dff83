import fc from "fast-check";
import nodemailer from "nodemailer";
import { describe, expect, test } from "vitest";
import { answerFields, answerSubject, messageIds, threadIds, threadRoot } from "../src/thread.ts";

describe("the root of a conversation", () => {
  test.each<[what: string, fields: Parameters<typeof threadRoot>[0], root: string | undefined]>([
    ["References", { references: "<a@x> <b@x>", inReplyTo: "<b@x>", messageId: "<c@x>" }, "<a@x>"],
    ["folded References", { references: "<a@x>\r\n\t<b@x>", messageId: "<c@x>" }, "<a@x>"],
    ["an id that was folded inside", { references: "<lo\r\n ng@x>", messageId: "<c@x>" }, "<long@x>"],
    ["In-Reply-To alone (Outlook)", { inReplyTo: "<b@x>", messageId: "<c@x>" }, "<b@x>"],
    ["In-Reply-To of old programs", { inReplyTo: "Message of Tue from Anna <b@x>", messageId: "<c@x>" }, "<b@x>"],
    ["nothing", { messageId: "<c@x>" }, "<c@x>"],
    ["garbage before", { references: "garbage, <> <with\u0000control@x> <b@x>" }, "<b@x>"],
    ["another case", { references: "<A.B@EXAMPLE.org>" }, "<a.b@example.org>"],
    ["no id at all", { references: "none", inReplyTo: "", messageId: "no brackets" }, undefined],
  ])("CH214 is found in %s", (_, fields, root) => {
    expect(threadRoot(fields)).toBe(root);
  });

  test("CH214 all that a mail names leads to its conversation, oldest first, each once", () => {
    const fields = { references: "<A@x> <b@x> <a@X>", inReplyTo: "<B@x>", messageId: "<c@x>" };
    expect(threadIds(fields)).toEqual(["<a@x>", "<b@x>", "<c@x>"]);
  });
});

describe("what an answer says", () => {
  test("CH214 In-Reply-To is the mail, References what came before and the mail", () => {
    expect(
      answerFields({ references: "<A@x> <b@x>", inReplyTo: "<b@x>", messageId: "<C@x>", subject: "Plan" }),
    ).toEqual({
      inReplyTo: "<C@x>",
      references: ["<A@x>", "<b@x>", "<C@x>"],
      subject: "Re: Plan",
    });
  });

  test("CH214 without References the mail's own In-Reply-To stands in; without an id there is nothing to name", () => {
    expect(answerFields({ inReplyTo: "<b@x>", messageId: "<c@x>" }).references).toEqual(["<b@x>", "<c@x>"]);
    expect(answerFields({ subject: "x" })).toEqual({ references: [], subject: "Re: x" });
  });

  test("CH214 of a long conversation the first and the newest are named, 20 at most", () => {
    const references = Array.from({ length: 40 }, (_, n) => `<${n}@x>`).join(" ");
    const found = answerFields({ references, messageId: "<own@x>" }).references;
    expect(found).toHaveLength(20);
    expect([found[0], found[1], found.at(-2), found.at(-1)]).toEqual(["<0@x>", "<22@x>", "<39@x>", "<own@x>"]);
  });

  test("CH214 no line of what leaves is longer than 998 characters", async () => {
    const long = (n: number): string => `<${`${n}`.padEnd(992, "x")}@x>`;
    const fields = answerFields({
      references: [long(1), long(2), `<${"y".repeat(2_000)}@x>`].join(" "),
      messageId: long(3),
      subject: "s".repeat(3_000),
    });
    expect(fields.references).toHaveLength(3);
    const transport = nodemailer.createTransport({ streamTransport: true, buffer: true });
    const { message } = await transport.sendMail({
      from: "bot@mail.test",
      to: "anna@mail.test",
      text: "x",
      ...fields,
      references: [...fields.references],
    });
    const lines = message.toString().split("\r\n");
    expect(Math.max(...lines.map((line) => line.length))).toBeLessThanOrEqual(998);
    expect(lines.join(" ").match(/References:(?:\s+<[^>]*>){3}/)).not.toBeNull();
  });

  test.each([
    ["Plan", "Re: Plan"],
    ["Re: Plan", "Re: Plan"],
    ["RE: re: Re[2]: Plan", "Re: Plan"],
    ["AW: Plan", "Re: Plan"],
    ["SV: Plan", "Re: Plan"],
    ["Antw: Odp: Plan", "Re: Plan"],
    ["回复：计划", "Re: 计划"],
    ["答复: 计划", "Re: 计划"],
    ["回覆: 计划", "Re: 计划"],
    ["Re:计划", "Re: 计划"],
    ["Re : Plan", "Re: Plan"],
    ["Fwd: Re: Plan", "Re: Fwd: Re: Plan"],
    ["Regarding: Plan", "Re: Regarding: Plan"],
    ["  two\r\n  lines\t ", "Re: two lines"],
    ["x\r\nBcc: eve@example.org", "Re: x Bcc: eve@example.org"],
    ["Re:", "Re:"],
    ["", "Re:"],
    [undefined, "Re:"],
  ])("CH214 %j is answered as %j", (subject, answer) => {
    expect(answerSubject(subject)).toBe(answer);
  });

  test("CH214 whatever the fields hold: ids are ids, the root is among them, the subject is one line and stays", () => {
    const field = fc.option(
      fc.oneof(
        fc.string({ unit: "binary" }),
        fc.array(fc.stringMatching(/^<[ -~]{0,20}>$/)).map((ids) => ids.join(" ")),
      ),
      { nil: undefined },
    );
    fc.assert(
      fc.property(field, field, field, field, (messageId, inReplyTo, references, subject) => {
        const fields = answerFields({ messageId, inReplyTo, references, subject });
        for (const id of fields.references) expect(messageIds(id)).toEqual([id]);
        expect(fields.references.length).toBeLessThanOrEqual(20);
        const root = threadRoot({ messageId, inReplyTo, references });
        expect(fields.references[0]?.toLowerCase()).toBe(root);
        expect(fields.subject).toMatch(/^Re:(?: [^\p{Cc}]+)?$/u);
        expect(answerSubject(fields.subject)).toBe(fields.subject);
      }),
    );
  });
});
