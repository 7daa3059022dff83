// Files of a person beside the owner, on the pages: what they upload, what they are sent, and nothing of anybody else's.
import { callsTool, fakeClock, says } from "@margay/core/testing";
import { createHash } from "node:crypto";
import {
  copyFileSync,
  cpSync,
  existsSync,
  linkSync,
  mkdirSync,
  openSync,
  closeSync,
  ftruncateSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { type Browser, logIn } from "./browser.ts";
import { CANARIES, channels, house, lived, people, spaceOf, talks } from "./persons-house.ts";
import { startGateway, type ApiAnswer, type TestGateway } from "./support.ts";

const PNG = Buffer.from(
  "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==",
  "base64",
);
type Blob = { readonly sha256: string; readonly bytes: number };

const upload = (who: Pick<Browser, "api">, raw: Uint8Array | string, name = "a.txt"): Promise<ApiAnswer> =>
  who.api(`/uploads?name=${name}`, { method: "POST", raw, headers: { "content-type": "text/html" } });
const uploaded = async (who: Pick<Browser, "api">, raw: Uint8Array | string): Promise<Blob> =>
  (await upload(who, raw)).body.blob;
const sends = (who: Pick<Browser, "api">, id: string, blob: Blob): Promise<ApiAnswer> =>
  who.api(`/sessions/${id}/messages`, { method: "POST", body: { parts: [{ type: "media", blob, name: "a.txt" }] } });
const media = (who: Pick<Browser, "api">, { sha256 }: Pick<Blob, "sha256">, session?: string): Promise<ApiAnswer> =>
  who.api(`/media/${sha256}${session === undefined ? "" : `?session=${session}`}`);

/** What an answer says, whatever was asked for. */
const said = ({ status, body }: ApiAnswer, ...asked: readonly string[]): string =>
  asked
    .reduce((text, one) => text.replaceAll(one, "…"), JSON.stringify([status, body]))
    .replaceAll(/"instance":"[^"]*"/g, "");

/** A conversation of theirs that shows a file of theirs. */
async function sent(gateway: TestGateway, who: Browser, raw: Uint8Array | string): Promise<{ id: string; blob: Blob }> {
  gateway.model.replies(says("hello"), says("thanks"));
  const id = await talks(gateway, who, "hello");
  const blob = await uploaded(who, raw);
  expect((await sends(who, id, blob)).status).toBe(202);
  await gateway.app.agent.idle();
  return { id, blob };
}

test("PE30 PE20 a person sends a picture: it is what its bytes are, the model of their room has it, and their conversation shows it", async (t) => {
  const gateway = await house(t);
  const eva = await logIn(gateway, "eva");
  const made = await upload(eva, PNG, encodeURIComponent("../../pic.png"));
  expect([made.status, made.body]).toMatchObject([
    201,
    { mediaType: "image/png", name: "pic.png", bytes: PNG.length, width: 1, height: 1 },
  ]);
  const { blob } = made.body;
  gateway.model.replies(says("a red dot"));
  const parts = [
    { type: "media", blob, name: "pic.png" },
    { type: "text", text: "what is it?" },
  ];
  const { body } = await eva.api("/sessions", { method: "POST", body: { message: { parts } } });
  await gateway.app.agent.idle();
  const request = JSON.stringify(gateway.model.requests.at(-1)?.body);
  expect(request).toContain(PNG.toString("base64"));
  expect(request).toContain(`${CANARIES.eva} is eva.`);
  const { items } = (await eva.api(`/sessions/${body.id}/messages`)).body;
  const [item] = items.filter(({ kind }: { kind: string }) => kind === "user");
  expect(item.parts[0]).toMatchObject({ type: "media", mediaType: "image/png", name: "pic.png" });
  const shown = await media(eva, blob, body.id);
  expect([shown.status, shown.headers.get("content-type"), shown.headers.get("content-disposition")]).toEqual([
    200,
    "image/png",
    "inline",
  ]);
  expect(shown.headers.get("content-security-policy")).toContain("sandbox");
  expect(shown.headers.get("cache-control")).toBe("private, no-cache");
  // As if they had sent it from their phone.
  gateway.model.replies(says("a red dot"));
  await gateway.app.agent.bus.accept({
    key: "p1",
    origin: { channel: "webhook", chat: "eva" },
    from: { id: "eva", kind: "person" },
    parts: [{ type: "media", mediaType: "image/png", name: "pic.png", blob }],
    chat: "private",
  });
  await gateway.app.agent.idle();
  const all = await gateway.app.agent.sessions.list();
  const sessions = await Promise.all(all.map(({ key }) => gateway.app.agent.sessions.find(key)));
  const [first, ...others] = sessions.map((one) => [one?.state.audience, one?.state.label]);
  expect(others).toEqual([first]);
  expect(first).toEqual(["eva", expect.not.objectContaining({ readers: expect.anything() })]);
});

test("PE30 a file that a person uploaded and one that they sent are theirs after a restart", async (t) => {
  const before = await house(t);
  const eva = await logIn(before, "eva");
  const { id, blob } = await sent(before, eva, "sent");
  const waiting = await uploaded(eva, "not sent yet");
  await before.stop();
  const after = await startGateway(t, {
    config: { people, channels },
    prepare: ({ home }) =>
      cpSync(before.home, home, { recursive: true, filter: (path) => !path.endsWith("config.json") }),
  });
  const again = await logIn(after, "eva");
  expect((await media(again, blob, id)).body).toBe("sent");
  expect((await media(again, waiting)).body).toBe("not sent yet");
  after.model.replies(says("thanks"));
  expect((await sends(again, id, waiting)).status).toBe(202);
  await after.app.agent.idle();
  expect((await media(again, waiting, id)).body).toBe("not sent yet");
  expect((await media(await logIn(after, "bob"), waiting)).status).toBe(404);
});

test("PE30 of files of others a person is told what they are told of files that there are not, and sends none of them", async (t) => {
  const gateway = await house(t);
  const [eva, bob] = [await logIn(gateway, "eva"), await logIn(gateway, "bob")];
  const [hers, his] = [await sent(gateway, eva, "of eva"), await sent(gateway, bob, "of bob")];
  const owners = await sent(gateway, { ...eva, api: gateway.api }, "of the owner");
  const waiting = [await uploaded(bob, "of bob, not sent"), await uploaded(gateway, "of the owner, not sent")];
  const nothing = { sha256: "0".repeat(64), bytes: 1 };
  const places = [undefined, hers.id, his.id, owners.id, "none"];
  const known = new Map<string | undefined, string>();
  for (const place of places) known.set(place, said(await media(eva, nothing, place), nothing.sha256, place ?? "-"));
  expect(known.get(his.id)).toBe(known.get("none"));
  const notSent = said(await sends(eva, hers.id, nothing), nothing.sha256.slice(0, 12));
  for (const blob of [his.blob, owners.blob, ...waiting]) {
    for (const place of places)
      expect(said(await media(eva, blob, place), blob.sha256, place ?? "-")).toBe(known.get(place));
    expect(said(await sends(eva, hers.id, blob), blob.sha256.slice(0, 12))).toBe(notSent);
  }
  for (const name of ["..%2f..%2fauth.json", "..%2f..%2f..%2fuploads", `${hers.blob.sha256}%2f..`])
    expect((await eva.api(`/media/${name}?session=${hers.id}`)).status).toBe(404);
  expect(notSent).toMatch(/^\[404,/);
  // In what they send a name is a word, and no file.
  gateway.model.replies(says("no"));
  const key = `{"sha256":"${his.blob.sha256}"}`;
  await eva.api(`/sessions/${hers.id}/messages`, { method: "POST", body: { parts: [{ type: "text", text: key }] } });
  await gateway.app.agent.idle();
  expect((await media(eva, his.blob, hers.id)).status).toBe(404);
  // What both have is each one's own.
  const same = await sent(gateway, eva, "of bob");
  expect((await media(eva, his.blob, same.id)).body).toBe("of bob");
  expect((await media(bob, his.blob, same.id)).status).toBe(404);
});

test("PE30 what the agent sends a person is a file of their conversation, and of nobody else's", async (t) => {
  const gateway = await house(t);
  const [eva, bob] = [await logIn(gateway, "eva"), await logIn(gateway, "bob")];
  gateway.model.replies(
    callsTool("write_file", { path: "boat.csv", content: "name,length\nEVA-BOAT,7\n" }),
    callsTool("message", { content: "Here it is.", media: ["boat.csv"] }),
    says("done"),
  );
  const id = await talks(gateway, eva, "make a list of boats");
  const { items } = (await eva.api(`/sessions/${id}/messages`)).body;
  const files = items.flatMap(({ kind, parts }: { kind: string; parts?: readonly { type: string }[] }) =>
    kind === "assistant" ? (parts ?? []).filter(({ type }) => type === "media") : [],
  );
  expect(files).toMatchObject([{ name: "boat.csv", mediaType: "text/csv" }]);
  const answer = await media(eva, files[0].blob, id);
  expect([answer.status, answer.headers.get("content-disposition")]).toEqual([200, "attachment"]);
  expect(answer.body).toContain("EVA-BOAT");
  expect((await media(bob, files[0].blob, id)).body.code).toBe("session.not-found");
  // An export names it.
  const text = (await eva.api(`/sessions/${id}/export?format=markdown`, { headers: { accept: "*/*" } })).body;
  expect(text).toContain("[boat.csv]");
});

describe("what a person uploads and does not send", () => {
  test("PE30 attachments/MAX_WAITING_FILES, attachments/MAX_WAITING_BYTES is bounded, and nobody else's is counted", async (t) => {
    const gateway = await house(t);
    const [eva, bob] = [await logIn(gateway, "eva"), await logIn(gateway, "bob")];
    const first = await uploaded(eva, "first");
    const folder = join(gateway.home, "rooms", "p-eva", "uploads");
    for (let n = 0; n < 499; n++) {
      const name = createHash("sha256").update(String(n)).digest("hex");
      mkdirSync(join(folder, name.slice(0, 2)), { recursive: true });
      writeFileSync(join(folder, name.slice(0, 2), name), String(n));
    }
    const refused = await upload(eva, "one more");
    expect([refused.status, refused.body.code]).toEqual([429, "rate.exceeded"]);
    expect((await upload(bob, "one more")).status).toBe(201);
    gateway.model.replies(says("hello"), says("thanks"));
    const id = await talks(gateway, eva, "hello");
    expect((await sends(eva, id, first)).status).toBe(202);
    expect((await upload(eva, "one more")).status).toBe(201); // what was sent waits no more
    const large = join(gateway.home, "rooms", "p-bob", "uploads", "00");
    mkdirSync(large, { recursive: true });
    const file = openSync(join(large, `00${"1".repeat(62)}`), "w");
    ftruncateSync(file, 500 * 1024 * 1024 - 20);
    closeSync(file);
    expect((await upload(bob, "this is one too many")).body.code).toBe("rate.exceeded");
    await gateway.app.agent.idle();
  });

  test("PE30 is as large as an upload of the owner's may be, and gone after 24 hours", async (t) => {
    const clock = fakeClock();
    const gateway = await startGateway(t, { clock, config: { people, gateway: { limits: { uploadBytes: 1024 } } } });
    const eva = await logIn(gateway, "eva");
    expect((await upload(eva, "x".repeat(1025))).status).toBe(413);
    expect((await upload(eva, "")).body.code).toBe("attachment.unsupported");
    const [left, fresh] = [await uploaded(eva, "left"), await uploaded(eva, "fresh")];
    const longAgo = new Date(clock.now() - 24 * 3_600_000);
    const folder = join(gateway.home, "rooms", "p-eva", "uploads");
    utimesSync(join(folder, left.sha256.slice(0, 2), left.sha256), longAgo, longAgo);
    // Of somebody who was removed meanwhile; and where nothing can be looked at, the others are all the same.
    const removed = join(gateway.home, "rooms", "p-removed", "uploads", left.sha256.slice(0, 2));
    mkdirSync(removed, { recursive: true });
    copyFileSync(join(folder, left.sha256.slice(0, 2), left.sha256), join(removed, left.sha256));
    utimesSync(join(removed, left.sha256), longAgo, longAgo);
    mkdirSync(join(gateway.home, "rooms", "p-bob"), { recursive: true });
    writeFileSync(join(gateway.home, "rooms", "p-bob", "uploads"), "no folder");
    await clock.advance(6 * 3_600_000);
    await expect.poll(async () => (await media(eva, left)).status).toBe(404);
    await expect.poll(() => existsSync(join(removed, left.sha256))).toBe(false);
    expect((await media(eva, fresh)).status).toBe(200);
    expect(existsSync(join(gateway.home, "blobs"))).toBe(false);
  });
});

test("PE30 PE23 a person opens the files of their own folder; the owner's, another's, what climbs out and what links out are not there", async (t) => {
  const { gateway, browsers } = await lived(t);
  const space = spaceOf(gateway, "eva");
  writeFileSync(join(gateway.workspace, "plan.txt"), CANARIES.owner);
  symlinkSync(join(gateway.workspace, "plan.txt"), join(space, "link.txt"));
  symlinkSync(gateway.workspace, join(space, "out"));
  linkSync(join(gateway.workspace, "plan.txt"), join(space, "hard.txt"));
  const { entries } = (await browsers.eva.api("/workspace/tree")).body;
  const names = entries.map(({ name }: { name: string }) => name);
  expect(names).toEqual(expect.arrayContaining(["USER.md", "secret.txt"]));
  for (const name of ["plan.txt", "link.txt", "out", "AGENTS.md"]) expect(names).not.toContain(name);
  const read = (path: string, who: Browser = browsers.eva): Promise<ApiAnswer> =>
    who.api(`/workspace/content?path=${encodeURIComponent(path)}`);
  const own = await read("secret.txt");
  expect([own.status, own.body]).toEqual([200, CANARIES.eva]);
  expect(own.headers.get("content-disposition")).toContain("attachment");
  expect((await read("secret.txt", browsers.bob)).body).toBe(CANARIES.bob);
  const missing = said(await read("no-such"), "no-such");
  for (const path of [
    ...["plan.txt", "link.txt", "out/plan.txt", "hard.txt", "../p-bob/USER.md", "../../config.json", "/etc/hosts"],
    join(gateway.workspace, "plan.txt"),
    join(spaceOf(gateway, "bob"), "USER.md"),
  ])
    expect(said(await read(path), path)).toBe(missing);
  for (const path of ["out", "..", "../p-bob", "/etc", gateway.workspace])
    expect((await browsers.eva.api(`/workspace/tree?path=${encodeURIComponent(path)}`)).status).toBe(404);
});
