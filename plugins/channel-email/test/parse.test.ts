/** A mail that is read as it comes: what it says is what it says read at once, however it comes. */
import { readdirSync, readFileSync } from "node:fs";
import fc from "fast-check";
import PostalMime, { type Email } from "postal-mime";
import { expect, test } from "vitest";
import { Interrupted, parseMail, type TakeFile } from "../src/parse.ts";

const FIXTURES = new URL("fixtures/", import.meta.url);
const othersTurn = (): Promise<void> => Promise.resolve();

/** Files of every kind: encoded and not, empty, without an end, a mail that holds one, a text that is shown. */
const ALL_KINDS = [
  "From: Anna <anna@mail.test>",
  "Message-ID: <1@mail.test>",
  'Content-Type: multipart/mixed; boundary="a b"',
  "",
  "nobody reads this",
  "--a b",
  "Content-Type: text/plain; charset=utf-8",
  "Content-Transfer-Encoding: base64",
  "",
  Buffer.from("Shown, and encoded. 你好").toString("base64"),
  "--a b",
  'Content-Type: application/octet-stream; name="=?utf-8?B?5L2g5aW9LmJpbg==?="',
  "Content-Transfer-Encoding: base64",
  "",
  ...(Buffer.alloc(160_000, "margay \0\u00ff")
    .toString("base64")
    .match(/.{1,76}/g) ?? []),
  "--a b ",
  "Content-Type: text/csv",
  "Content-Disposition: attachment; filename*0=long; filename*1=.csv",
  "Content-Transfer-Encoding: quoted-printable",
  "",
  "a;=C3=A4;b=",
  ";c",
  "-- a b",
  "--",
  "",
  "--a b",
  'Content-Type: application/x-lines; name="lines"',
  "",
  ...Array.from({ length: 3000 }, (_, n) => `line ${n}\r`),
  "--a b",
  "Content-Type: image/png",
  "Content-Disposition: inline",
  "Content-Transfer-Encoding: base64",
  "",
  "--a b",
  "Content-Type: message/rfc822",
  "",
  "Subject: inside",
  'Content-Type: multipart/mixed; boundary="in"',
  "",
  "--in",
  "",
  "said inside",
  "--in",
  "Content-Type: application/pdf",
  "Content-Transfer-Encoding: base64",
  "",
  "JVBERi0=",
  "--in--",
  "--a b",
  "Content-Type: text/calendar; method=REPLY",
  "Content-Disposition: attachment",
  "",
  "BEGIN:VCALENDAR",
  "--a b",
  "Content-Type: application/pdf",
  "Content-Transfer-Encoding: base64",
  "",
  "JVBERi0x",
  "LjQ=",
  "YW5kIG1vcmU=",
].join("\r\n");

async function* inParts(bytes: Uint8Array, sizes: readonly number[]): AsyncGenerator<Uint8Array> {
  for (let at = 0, n = 0; at < bytes.length; n += 1) {
    const size = sizes[n % sizes.length] ?? 1;
    yield bytes.subarray(at, at + size);
    at += size;
  }
}

async function bytesOf(stream: AsyncIterable<Uint8Array>): Promise<Buffer> {
  const parts: Uint8Array[] = [];
  for await (const part of stream) parts.push(part);
  return Buffer.concat(parts);
}

/** With its files as bytes. */
async function read(
  bytes: Uint8Array,
  sizes: readonly number[],
): Promise<{ readonly mail: Email; readonly left: number }> {
  const files = new Map<unknown, Buffer>();
  const take: TakeFile = async (file, stream) => void files.set(file.content, await bytesOf(stream));
  const mail = await parseMail(PostalMime, inParts(bytes, sizes), { othersTurn, take });
  return { mail: withBytes(mail, files), left: files.size };
}

function withBytes(mail: Email, files: ReadonlyMap<unknown, Buffer> = new Map()): Email {
  const attachments = mail.attachments.map((file) => ({
    ...file,
    content: files.get(file.content) ?? Buffer.from(file.content as ArrayBuffer), // as it was parsed
  }));
  return { ...mail, attachments };
}

async function readAtOnce(bytes: Uint8Array): Promise<Email> {
  return withBytes(await new PostalMime({ attachmentEncoding: "arraybuffer" }).parse(bytes));
}

test("CH81 CH218 a mail that is read in parts says what it says read at once, and its files leave while it comes", async () => {
  const mails = readdirSync(FIXTURES).map((name) => readFileSync(new URL(name, FIXTURES)));
  const all = [
    ...mails,
    Buffer.from(ALL_KINDS),
    Buffer.from("no header"),
    Buffer.from("From: a@b.test\n\n\n"),
    Buffer.from(""),
  ];
  for (const bytes of all) {
    const atOnce = await readAtOnce(bytes);
    for (const sizes of [[bytes.length || 1], [65_536], [1000, 1, 7]])
      expect((await read(bytes, sizes)).mail).toEqual(atOnce);
  }
  expect((await read(Buffer.from(ALL_KINDS), [65_536])).left).toBe(5);
  const bytes = Buffer.from(ALL_KINDS.replaceAll("\r\n", "\n").replace(/line \d\d+\n/g, ""));
  const atOnce = await readAtOnce(bytes);
  const sizes = fc.array(fc.integer({ min: 1, max: 5000 }), { minLength: 1, maxLength: 20 });
  await fc.assert(
    fc.asyncProperty(sizes, async (some) => {
      expect((await read(bytes, some)).mail).toEqual(atOnce);
    }),
    { numRuns: 8 },
  );
});

test("CH81 what interrupts the reading is told from a mail that cannot be read, and the file that was on its way does not end", async () => {
  const bytes = Buffer.from(ALL_KINDS);
  let ended: unknown;
  const take: TakeFile = async (_, stream) => {
    ended = await bytesOf(stream).catch((error: unknown) => error);
  };
  const lost = new Error("the line broke");
  const source = async function* (): AsyncGenerator<Uint8Array> {
    yield bytes.subarray(0, 120_000);
    throw lost;
  };
  await expect(parseMail(PostalMime, source(), { othersTurn, take })).rejects.toMatchObject({ cause: lost });
  expect(ended).toBeInstanceOf(Interrupted);
  const full = new Error("the disk is full");
  const refuses: TakeFile = () => Promise.reject(full);
  await expect(parseMail(PostalMime, inParts(bytes, [1000]), { othersTurn, take: refuses })).rejects.toMatchObject({
    cause: full,
  });
  const deep = Buffer.from(`${ALL_KINDS}\r\n--a b\r\nX: ${"x".repeat(3_000_000)}\r\n`);
  const unreadable = parseMail(PostalMime, inParts(deep, [65_536]), { othersTurn, take });
  await expect(unreadable).rejects.not.toBeInstanceOf(Interrupted);
  await expect(unreadable).rejects.toThrow("header size");
});
