/** Files that leave with a mail. */
import { appendFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { ChannelHost, MediaPart } from "@margay/core/plugin";
import PostalMime from "postal-mime";
import { expect, test } from "vitest";
import { testHost } from "../../../packages/core/test/channels/alone.ts";
import { plugin } from "../src/index.ts";
import { mailServer, settings, temporary } from "./support.ts";

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
