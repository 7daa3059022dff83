// Files that go out: read from the disk while they leave.
import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { appendFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import type { MediaPart } from "../../../src/contract/message.ts";
import { temporary, testHost, type TestHost } from "../alone.ts";

const CONTENT = Buffer.alloc(1_000_000, "margay ");

async function kept(): Promise<{ readonly host: TestHost; readonly part: MediaPart; readonly path: string }> {
  const folder = temporary("outgoing");
  const host = testHost("test", folder);
  const part = await host.media.save(CONTENT, { name: "a.bin" });
  const { sha256 } = part.blob;
  return { host, part, path: join(folder, "blobs", sha256.slice(0, 2), sha256) };
}

/** What a server has got of each request: how long it was said to be, and its body. */
async function listening(): Promise<{
  readonly url: string;
  readonly got: { readonly length: string | undefined; readonly body: Buffer }[];
}> {
  const got: { length: string | undefined; body: Buffer }[] = [];
  const server = createServer((request, response) => {
    void request.toArray().then((parts) => {
      got.push({ length: request.headers["content-length"], body: Buffer.concat(parts as Buffer[]) }); // no encoding is set
      response.end("taken");
    });
  }).listen(0, "127.0.0.1");
  await once(server, "listening");
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/`, got }; // TCP has one
}

test("CH81 a form with a file says how long it is, and can be sent again", async () => {
  const { host, part } = await kept();
  const { url, got } = await listening();
  const form = new FormData();
  form.set("file", await host.media.open(part), "a.bin");
  const limits = { ms: 10_000, maxBytes: 1000, signal: new AbortController().signal };
  for (const time of [1, 2]) {
    const answer = await host.request(url, { method: "POST", body: form }, limits);
    expect([time, answer instanceof Response && (await answer.text())]).toEqual([time, "taken"]);
  }
  expect(got.map(({ length, body }) => [length === String(body.length), body.includes(CONTENT)])).toEqual([
    [true, true],
    [true, true],
  ]);
});

test("CH81 a file goes on leaving while the same one is kept again, and while it comes in again", async () => {
  const { host, part } = await kept();
  const leaving = (await host.media.open(part)).stream()[Symbol.asyncIterator]();
  const begun = await leaving.next();
  const later = await host.media.open(part);
  await host.media.save(CONTENT, { name: "b.bin" });
  await host.blobs.putStream!(new Blob([CONTENT]).stream());
  const parts = [begun.value!];
  for (let next = await leaving.next(); next.done !== true; next = await leaving.next()) parts.push(next.value);
  expect(Buffer.concat(parts).equals(CONTENT)).toBe(true);
  expect(Buffer.from(await later.arrayBuffer()).equals(CONTENT)).toBe(true);
});

test("CH81 what is not the file that was kept does not leave", async () => {
  const { host, part, path } = await kept();
  const opened = await host.media.open(part);
  appendFileSync(path, "more");
  await expect(opened.text()).rejects.toMatchObject({ name: "NotReadableError" });
  await expect(host.media.open(part)).rejects.toMatchObject({ code: "blob.missing" });
  writeFileSync(path, CONTENT);
  expect((await host.media.open(part)).size).toBe(CONTENT.length);
  const nowhere = { ...part, blob: { sha256: "0".repeat(64), bytes: 1 } };
  await expect(host.media.open(nowhere)).rejects.toMatchObject({ code: "blob.missing" });
  await expect(host.media.open({ ...part, blob: { sha256: "../../key", bytes: 1 } })).rejects.toMatchObject({
    code: "blob.missing",
  });
});
