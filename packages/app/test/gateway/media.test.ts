import { mkdirSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { says } from "@margay/core/testing";
import { expect, test } from "vitest";
import { startGateway } from "./support.ts";

const PNG = Buffer.from(
  "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==",
  "base64",
);
const upload = (bytes: Uint8Array | string, name: string, type = "application/octet-stream") => ({
  path: `/uploads?name=${encodeURIComponent(name)}`,
  init: { method: "POST", raw: bytes, headers: { "content-type": type } },
});

test("R261 an upload is what its bytes are, named without a path, and reaches the model", async (t) => {
  const gateway = await startGateway(t);
  gateway.model.replies(says("a red dot"));
  const { path, init } = upload(PNG, "../../etc/pic.png", "text/html");
  const made = await gateway.api(path, init);
  expect([made.status, made.body]).toMatchObject([
    201,
    { mediaType: "image/png", name: "pic.png", bytes: PNG.length, width: 1, height: 1 },
  ]);
  const { body } = await gateway.api("/sessions", {
    method: "POST",
    body: {
      message: {
        parts: [
          { type: "media", blob: made.body.blob, name: "pic.png" },
          { type: "text", text: "what is it?" },
        ],
      },
    },
  });
  await gateway.app.agent.idle();
  const { items } = (await gateway.api(`/sessions/${body.id}/messages`)).body;
  expect(items.find(({ kind }: { kind: string }) => kind === "user").parts[0]).toMatchObject({
    mediaType: "image/png",
  });
  expect(JSON.stringify(gateway.model.requests[0]?.body)).toContain(PNG.toString("base64"));
  const media = await fetch(`${gateway.url}/api/v1/media/${made.body.blob.sha256}`, {
    headers: { authorization: `Bearer ${gateway.token("read")}` },
  });
  expect(Buffer.from(await media.arrayBuffer()).equals(PNG)).toBe(true);
  expect([media.headers.get("content-type"), media.headers.get("content-disposition")]).toEqual([
    "image/png",
    "inline",
  ]);
  expect(media.headers.get("content-security-policy")).toContain("sandbox");
  const { sha256 } = made.body.blob;
  const known = await gateway.api(`/media/${sha256}`, { headers: { "if-none-match": `"x", "${sha256}"` } });
  expect([known.status, known.body, known.headers.get("etag")]).toEqual([304, "", `"${sha256}"`]);
  const another = await gateway.api(`/media/${sha256}`, { headers: { "if-none-match": `"${"0".repeat(64)}"` } });
  expect([another.status, another.headers.get("content-type")]).toEqual([200, "image/png"]);
});

test("R286 UI9 what could act in a browser is only ever a download; unknown media is not there", async (t) => {
  const gateway = await startGateway(t);
  for (const text of ["<script>alert(1)</script>", "<svg xmlns='http://www.w3.org/2000/svg' onload='alert(1)'/>"]) {
    const { path, init } = upload(text, "x.svg", "image/svg+xml");
    const { body } = await gateway.api(path, init);
    const { headers } = await gateway.api(`/media/${body.blob.sha256}`);
    expect([headers.get("content-type"), headers.get("content-disposition")]).toEqual([
      "text/plain; charset=utf-8",
      "attachment",
    ]);
  }
  expect((await gateway.api(`/media/${"0".repeat(64)}`)).body.code).toBe("media.not-found");
  expect((await gateway.api("/media/..%2f..%2fauth.json")).status).toBe(404);
  const { body } = await gateway.api("/sessions", { method: "POST", body: {} });
  const blob = { sha256: "0".repeat(64), bytes: 1 };
  const missing = await gateway.api(`/sessions/${body.id}/messages`, {
    method: "POST",
    body: { parts: [{ type: "media", blob }] },
  });
  expect([missing.status, missing.body.code]).toEqual([404, "media.not-found"]);
});

test("R286 files of the workspace are listed and downloaded; links, what is above and our state are not there", async (t) => {
  const gateway = await startGateway(t, {
    prepare: ({ home, workspace }) => {
      mkdirSync(join(workspace, "notes"));
      writeFileSync(join(workspace, "notes", "page.html"), "<script>1</script>");
      symlinkSync(home, join(workspace, "out"));
      symlinkSync("/etc/hosts", join(workspace, "hosts"));
    },
  });
  const { body } = await gateway.api("/workspace/tree");
  expect(body.entries.map(({ name, kind }: { name: string; kind: string }) => [name, kind])).toEqual([
    ["notes", "directory"],
  ]);
  const file = await gateway.api("/workspace/content?path=notes/page.html");
  expect([file.status, file.headers.get("content-type")]).toEqual([200, "text/plain; charset=utf-8"]);
  expect(file.headers.get("content-disposition")).toContain("attachment");
  for (const path of ["hosts", "out/config.json", "../home/config.json", "/etc/hosts", "nothing", "notes"])
    expect((await gateway.api(`/workspace/content?path=${encodeURIComponent(path)}`)).body.code).toBe(
      "media.not-found",
    );
  for (const path of ["out", "..", "/etc"])
    expect((await gateway.api(`/workspace/tree?path=${encodeURIComponent(path)}`)).body.code).toBe("media.not-found");
});
