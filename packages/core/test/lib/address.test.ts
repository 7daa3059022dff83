// CH31: one text form of an address, for whoever writes one down.
import fc from "fast-check";
import { expect, test } from "vitest";
import { addressIn, addressText, messageTo } from "../../src/lib/session-key.ts";

const IDS = [
  "-1001234567890",
  "!a:b.org",
  "#room:b.org",
  "$event/with+signs=:b.org",
  "anna@example.org",
  "Anna Ö <anna+tag@example.org>",
  "room@muc.example.org/Nick name?",
  "user%domain.org@gateway.example.org",
  "50%",
  "%41",
  "oc_1f2e?thread=om_3d",
  "1700000000.123456",
  "home/+/light/#",
  "<message.id?x=1&y=2@mail.example.org>",
  "\u{1f600} two\nlines\u2028",
];

test("CH31 whatever the ids of a platform hold, an address that was written down is read as the same", () => {
  const id = fc.oneof(
    fc.constantFrom(...IDS),
    fc.string({ unit: "binary", minLength: 1 }),
    fc.string({ minLength: 1 }),
  );
  const channel = fc.stringMatching(/^[a-z][a-z0-9_-]{0,39}$/);
  fc.assert(
    fc.property(channel, id, fc.option(id, { nil: undefined }), (channel, chat, thread) => {
      const address = { channel, chat, ...(thread !== undefined && { thread }) };
      const text = addressText(address);
      expect(addressIn(text)).toEqual(address);
      expect(text).not.toMatch(/\s/);
    }),
    { numRuns: 2000 },
  );
});

test("CH31 ids without a percent sign, a question mark or a space stand as they are", () => {
  expect(addressText({ channel: "telegram", chat: "-100123", thread: "7" })).toBe("telegram:-100123?thread=7");
  expect(addressText({ channel: "matrix", chat: "!a:b.org" })).toBe("matrix:!a:b.org");
  expect(addressText({ channel: "xmpp", chat: "a b?c" })).toBe("xmpp:a%20b%3Fc");
  expect(addressIn("email:50%")).toEqual({ channel: "email", chat: "50%" });
  for (const none of ["", "telegram", "telegram:", ":42"]) expect(addressIn(none), none).toBeUndefined();
});

test("CH31 a call of message names a chat, or a thread of one; its own thread is kept where it names none", () => {
  const here = { channel: "telegram", chat: "-100", thread: "3" };
  expect(messageTo({}, here)).toEqual(here);
  expect(messageTo({ chat_id: "-100" }, here)).toEqual(here);
  expect(messageTo({ chat_id: "-100?thread=7" }, here)).toEqual({ ...here, thread: "7" });
  expect(messageTo({ channel: "slack", chat_id: "C1?thread=1.2" }, here)).toEqual({
    channel: "slack",
    chat: "C1",
    thread: "1.2",
  });
});
