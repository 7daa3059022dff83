/** Files that leave with a mail, and files that come with one. */
import { createHash } from "node:crypto";
import { appendFileSync, existsSync, readdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { ChannelHost, MediaPart } from "@margay/core/plugin";
import PostalMime from "postal-mime";
import { expect, test } from "vitest";
import { run, testHost } from "../../../packages/core/test/channels/alone.ts";
import { plugin } from "../src/index.ts";
import { type Mail, mail, mailServer, settings, start, temporary } from "./support.ts";

test("CH81 a mail whose file breaks off while it is read is not sent in part, and leaves whole at the next attempt", async () => {
  const server = await mailServer();
  const folder = temporary();
  const host = testHost("mail", folder);
  const bytes = Buffer.alloc(1_000_000, "margay ");
  const part = await host.media.save(bytes, { name: "a.bin", mediaType: "application/octet-stream" });
  const { sha256 } = part.blob;
  const path = join(folder, "blobs", sha256.slice(0, 2), sha256);
  const open = async (given: MediaPart): Promise<Blob> => {
    const blob = await host.media.open(given);
    appendFileSync(path, "more");
    return blob;
  };
  const broken: ChannelHost = { ...host, media: { ...host.media, open } };
  const piece = {
    reply: "r1",
    to: { channel: "mail", chat: "anna@mail.test" },
    kind: "reply" as const,
    parts: [{ type: "text" as const, text: "here it is" }, part],
  };
  const { signal } = new AbortController();
  const first = plugin.create({ id: "mail", settings: settings(server) }, broken);
  await expect(first.send(piece, signal)).rejects.toMatchObject({ kind: "again" });
  expect(server.smtp.taken).toEqual([]);
  writeFileSync(path, bytes);
  await plugin.create({ id: "mail", settings: settings(server) }, host).send(piece, signal);
  const mails = await Promise.all(server.smtp.taken.map(({ raw }) => PostalMime.parse(raw)));
  const contents = mails.map(({ attachments: [file] }) => Buffer.from(file?.content as ArrayBuffer)); // as it was parsed
  expect(contents.map((content) => content.equals(bytes))).toEqual([true]);
});

/** With a file. */
function withFile(bytes: Buffer, about: Mail): string {
  const lines = bytes.toString("base64").replaceAll(/.{76}/g, "$&\r\n");
  const file = ["Content-Type: application/zip; name=a.zip", "Content-Transfer-Encoding: base64", "", lines, "--b--"];
  return mail(about)
    .replace("Content-Type: text/plain; charset=utf-8", 'Content-Type: multipart/mixed; boundary="b"')
    .replace("\r\n\r\nhi", `\r\n\r\n${["--b", "", "look", "--b", ...file].join("\r\n")}`);
}

/** What is kept, whole or not. */
function filesIn(folder: string): readonly string[] {
  const blobs = join(folder, "blobs");
  const entries = existsSync(blobs) ? readdirSync(blobs, { recursive: true, withFileTypes: true }) : [];
  return entries.flatMap((entry) => (entry.isFile() ? [entry.name] : []));
}

const LARGE = Buffer.alloc(3_000_000, "margay ");
const SHA256 = createHash("sha256").update(LARGE).digest("hex");
const FILE = {
  ...{ type: "media", mediaType: "application/zip", name: "a.zip" },
  blob: { sha256: SHA256, bytes: LARGE.length },
};

test("CH81 CH218 a file comes with its mail in many parts, as it is; of a machine, of an unproved sender and of a stranger nothing of it is kept", async () => {
  const server = await mailServer();
  const folder = temporary();
  const running = start(server, folder);
  await running.up();
  await server.deliver(withFile(LARGE, { id: "machine", headers: ["Auto-Submitted: auto-replied"] }));
  await server.deliver(withFile(LARGE, { id: "unproved", proof: "none" }));
  await server.deliver(mail({ id: "next" }));
  await running.received(1);
  expect([running.messages[0]?.key, filesIn(folder)]).toEqual(["<next@mail.test>", []]);
  await server.deliver(withFile(LARGE, {}).replace(/Message-ID: .*\r\n/, ""));
  await running.received(2);
  expect(running.messages[1]?.parts).toEqual([{ type: "text", text: "Subject: Hello\n\nlook" }, FILE]);
  expect(filesIn(folder)).toEqual([SHA256]);
  const stored = server.mailbox("bot").find((one) => !/^message-id/im.test(one)) ?? "";
  const sent = createHash("sha256").update(stored.replaceAll(/\r?\n/g, "\r\n")).digest("hex");
  expect(running.messages[1]?.key).toBe(`sha256:${sent}`);
  await running.stop();
  const other = temporary();
  const refusing = start(server, other, { admitted: false });
  await refusing.up();
  await server.deliver(withFile(LARGE, { id: "stranger" }));
  await refusing.received(1);
  expect(JSON.stringify(refusing.messages[0]?.parts)).toContain("The file a.zip was not kept: who sent it may not");
  expect(filesIn(other)).toEqual([]);
});

test("CH20 CH81 a mail whose server goes away in the middle of its file leaves nothing half, as one that cannot be stored, and is read again whole", async () => {
  const server = await mailServer();
  const folder = temporary();
  const host = testHost("mail", folder);
  const began = run(plugin.create({ id: "mail", settings: settings(server) }, host));
  await host.until(() => host.told.alive > 0);
  await began.stop();
  await server.deliver(withFile(LARGE, { id: "m" }));
  const runWith = (save: ChannelHost["media"]["save"]): Promise<unknown> =>
    run(plugin.create({ id: "mail", settings: settings(server) }, { ...host, media: { ...host.media, save } })).ended;
  const killed = async function* (bytes: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
    let isKilled = false;
    for await (const part of bytes) {
      yield part;
      if (!isKilled) await server.kill();
      isKilled = true;
    }
  };
  const broken = await runWith((bytes, about) => host.media.save(killed(bytes as AsyncIterable<Uint8Array>), about)); // it comes
  expect(broken).toMatchObject({ kind: "again" });
  expect(filesIn(folder)).toEqual([]);
  await server.start();
  const full = new Error("the disk is full");
  expect(await runWith(() => Promise.reject(full))).toMatchObject({ kind: "again", cause: full });
  const second = start(server, folder);
  await second.received(1);
  expect(second.messages[0]?.parts).toEqual([{ type: "text", text: "Subject: Hello\n\nlook" }, FILE]);
  expect([host.told.dead, filesIn(folder)]).toEqual([[], [SHA256]]);
});
