import fc from "fast-check";
import { expect, test } from "vitest";
import { isOurs, messageIdOf } from "../src/message-id.ts";

test("CH216 the same reply has the same Message-ID, another one another", () => {
  const id = messageIdOf("email", "r1.2", "Mail.Test");
  expect(id).toMatch(/^<margay\.[A-Za-z0-9_-]{32}@mail\.test>$/);
  expect(messageIdOf("email", "r1.2", "mail.test")).toBe(id);
  const others = [messageIdOf("email-work", "r1.2", "mail.test"), messageIdOf("email", "r1.3", "mail.test")];
  expect(new Set([id, ...others]).size).toBe(3);
  expect(messageIdOf("a", "bc", "x.test")).not.toBe(messageIdOf("ab", "c", "x.test"));
});

test("CH216 an id that is stored stays what it was: programs of later versions know their mails again", () => {
  expect(messageIdOf("email", "reply-1", "mail.test")).toBe("<margay.KitamZE0kI_lSNO6Xzkh08204EzkA3Qk@mail.test>");
});

test("CH212 ours are known by their shape and domain", () => {
  const id = messageIdOf("email", "r", "mail.test");
  expect(isOurs(id)).toBe(true);
  expect(isOurs(` ${id} `, "MAIL.test")).toBe(true);
  expect(isOurs(id, "other.test")).toBe(false);
  for (const other of ["", "margay", "<margay.short@mail.test>", `${id}${id}`, id.replace("margay", "x"), id.slice(1)])
    expect(isOurs(other)).toBe(false);
});

test("CH216 every key makes an id of ours", () => {
  fc.assert(
    fc.property(fc.string({ unit: "binary" }), fc.string({ unit: "binary" }), (channel, key) =>
      isOurs(messageIdOf(channel, key, "mail.test"), "mail.test"),
    ),
  );
});
