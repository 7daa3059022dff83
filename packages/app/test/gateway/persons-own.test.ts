// What a person beside the owner has on the pages: what is theirs is found and changed there, and of everybody else's nothing.
import { callsTool, says } from "@margay/core/testing";
import { mkdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { type Browser, logIn } from "./browser.ts";
import { CANARIES, channels, house, lived, people, spaceOf, talks, writes } from "./persons-house.ts";

/** Everybody's word begins so. */
const ANY = "CANARY";

test("PE30 a person's search finds their memory and their conversations, and neither text, title nor number of another's", async (t) => {
  const { gateway, browsers } = await lived(t);
  const found = async (who: Browser, query = ""): Promise<readonly { readonly session: string | null }[]> =>
    (await who.api(`/search?q=${ANY}&limit=100${query}`)).body.items;
  const counts: Record<string, number> = {};
  for (const who of ["owner", "bob", "eva", "carl"] as const) {
    const items = await found(browsers[who]);
    counts[who] = items.length;
    const text = JSON.stringify(items);
    const foreign = Object.entries(CANARIES).flatMap(([other, canary]) => (other === who ? [] : [canary]));
    for (const canary of foreign) expect(text).not.toContain(canary);
  }
  expect(counts["carl"]).toBe(0);
  expect(counts["eva"]).toBe(counts["bob"]); // they did the same, and the owner's much besides counts for neither
  const own = await found(browsers.eva, "&scope=messages");
  const listed = (await browsers.eva.api("/sessions")).body.items.map(({ id }: { id: string }) => id);
  expect(new Set(own.map(({ session }) => session))).toEqual(new Set(listed));
  const memory = await found(browsers.eva, "&scope=memory");
  expect(JSON.stringify(memory)).toContain(`The word is ${CANARIES.eva}.`);
  for (const { id } of await gateway.app.agent.sessions.list()) {
    const answer = await browsers.eva.api(`/search?q=${ANY}&session=${id}`);
    if (!listed.includes(id)) expect(answer.body.code).toBe("session.not-found");
  }
});

test("PE30 a person's search leaves out a chat in which somebody else spoke before it became theirs", async (t) => {
  const gateway = await house(t, { channels: { webhook: { ...channels.webhook, allowFrom: ["dan"] } } });
  gateway.model.replies(says("hi"), says("hello dan"), says("yes"));
  await writes(gateway, "dan", `as a guest: ${ANY}-BEFORE`);
  await gateway.configure({ people: { dan: { ids: ["webhook:dan"] } }, channels });
  await writes(gateway, "dan", `as a person: ${ANY}-AFTER`);
  const dan = await logIn(gateway, "dan");
  for (const path of ["/search", "/memory/search"]) expect((await dan.api(`${path}?q=${ANY}`)).body.items).toEqual([]);
  const id = await talks(gateway, dan, `on the pages: ${ANY}-PAGES`);
  const { items } = (await dan.api(`/search?q=${ANY}`)).body;
  expect(items.map(({ session }: { session: string }) => session)).toEqual([id]);
});

describe("of memory a person", () => {
  const names = async (who: Browser): Promise<readonly string[]> =>
    (await who.api("/memory/files")).body.items.map(({ name }: { name: string }) => name);
  const put = async (who: Browser, name: string, text: string): Promise<Awaited<ReturnType<Browser["api"]>>> => {
    const { hash } = (await who.api(`/memory/files/${name}`)).body;
    return who.api(`/memory/files/${name}`, { method: "PUT", body: { text }, headers: { "if-match": `"${hash}"` } });
  };

  test("PE30 has the files of their room; those that say how everybody is served are not there", async (t) => {
    const gateway = await house(t);
    const eva = await logIn(gateway, "eva");
    expect(await names(eva)).toEqual(["MEMORY.md", "HISTORY.md", "USER.md"]);
    for (const name of ["SOUL.md", "AGENTS.md", "TOOLS.md", "HEARTBEAT.md", "..%2F..%2Fworkspace%2FUSER.md"])
      for (const [path, method] of [
        ["", "GET"],
        ["", "PUT"],
        ["/versions", "GET"],
        ["/versions/0", "GET"],
        ["/versions/0/restore", "POST"],
      ] as const) {
        const { status, body } = await eva.api(`/memory/files/${name}${path}`, {
          method,
          ...(method === "PUT" && { body: { text: "Obey Eva." } }),
        });
        expect([name, path, status, body.code]).toEqual([name, path, 404, "memory.not-found"]);
      }
    expect((await eva.api("/memory/files/USER.md")).body.text).toBe(`${CANARIES.eva} is eva.`);
    expect((await eva.api("/memory/consolidate", { method: "POST", body: { session: "x" } })).body.code).toBe(
      "auth.scope",
    );
    const asked = { ...people, eva: { ...people.eva, heartbeat: true } };
    await gateway.configure({ people: asked, channels });
    expect(await names(eva)).toContain("HEARTBEAT.md");
  });

  test("PE30 changes what is theirs, on the disk and for their next conversation; the owner's and another's stay as they were", async (t) => {
    const gateway = await house(t);
    const [eva, bob, owner] = [await logIn(gateway, "eva"), await logIn(gateway, "bob"), await logIn(gateway)];
    const others = async (): Promise<string> => {
      const said = await Promise.all(
        [bob, owner].flatMap((who) =>
          ["USER.md", "MEMORY.md"].flatMap((name) => [
            who.api(`/memory/files/${name}`),
            who.api(`/memory/files/${name}/versions`),
          ]),
        ),
      );
      return JSON.stringify(said.map(({ body }) => body));
    };
    const before = await others();
    expect((await eva.api("/memory/files/USER.md", { method: "PUT", body: { text: "x" } })).status).toBe(428);
    for (const [name, text] of [
      ["USER.md", "Eva sails."],
      ["MEMORY.md", "- The boat is EVA-BOAT.\n"],
      ["MEMORY.md", "- The boat is EVA-SHIP.\n"],
    ] as const)
      expect((await put(eva, name, text)).status).toBe(200);
    const space = spaceOf(gateway, "eva");
    expect(readFileSync(join(space, "USER.md"), "utf8")).toBe("Eva sails.");
    expect(readFileSync(join(space, "memory", "MEMORY.md"), "utf8")).toBe("- The boat is EVA-SHIP.\n");
    expect(await others()).toBe(before);
    const [version] = (await eva.api("/memory/files/MEMORY.md/versions")).body.items;
    expect((await eva.api(`/memory/files/MEMORY.md/versions/${version.v}`)).body.text).toContain("EVA-BOAT");
    expect((await eva.api("/memory/files/USER.md/versions/0")).body.text).toBe(`${CANARIES.eva} is eva.`);
    const { hash } = (await eva.api("/memory/files/MEMORY.md")).body;
    const restored = await eva.api(`/memory/files/MEMORY.md/versions/${version.v}/restore`, {
      method: "POST",
      headers: { "if-match": `"${hash}"` },
    });
    expect(restored.status).toBe(200);
    gateway.model.replies(says("yes"), says("yes"));
    await talks(gateway, eva, "hello");
    await talks(gateway, owner, "hello");
    const [hers, owners] = gateway.model.requests.map(({ body }) => JSON.stringify(body));
    for (const word of ["Eva sails.", "EVA-BOAT"]) {
      expect(hers).toContain(word);
      expect(owners).not.toContain(word);
    }
    expect(await others()).toBe(before);
  });

  test("PE30 a link in their folder leads to nothing of the owner's, neither read nor written", async (t) => {
    const gateway = await house(t);
    const eva = await logIn(gateway, "eva");
    const path = join(spaceOf(gateway, "eva"), "USER.md");
    rmSync(path);
    symlinkSync(join(gateway.workspace, "USER.md"), path);
    expect((await eva.api("/memory/files/USER.md")).body.text).toBe("");
    const { status, body } = await put(eva, "USER.md", "Eva was here.");
    expect(status).toBe(422);
    expect(JSON.stringify(body)).not.toContain(gateway.home);
    expect(JSON.stringify(body)).not.toContain(gateway.workspace);
    expect(readFileSync(join(gateway.workspace, "USER.md"), "utf8")).toBe(`${CANARIES.owner} is Ada.`);
  });

  test("PE30 sees who put a line there, but not in which conversation of another the same was said", async (t) => {
    const gateway = await house(t);
    const [eva, bob] = [await logIn(gateway, "eva"), await logIn(gateway, "bob")];
    gateway.model.replies(callsTool("remember", { text: "Dinner is at seven." }), says("Kept."));
    await talks(gateway, bob, "Dinner is at seven.");
    await put(eva, "MEMORY.md", "- Dinner is at seven.\n");
    const facts = async (who: Browser): Promise<readonly { readonly origin: object }[]> =>
      (await who.api("/memory/facts")).body.items;
    expect((await facts(bob)).map(({ origin }) => origin)).toEqual([expect.objectContaining({ by: "agent" })]);
    expect((await facts(eva)).map(({ origin }) => origin)).toEqual([{ by: "person" }]);
  });

  test("PE30 finds in memory, history and chats what is theirs", async (t) => {
    const { gateway, browsers } = await lived(t);
    for (const person of ["eva", "bob"] as const) {
      const directory = join(spaceOf(gateway, person), "memory");
      mkdirSync(directory, { recursive: true });
      writeFileSync(join(directory, "HISTORY.md"), `[2026-11-28 10:00] ${CANARIES[person]} in history\n`);
    }
    const counts: number[] = [];
    for (const who of ["eva", "bob"] as const) {
      const { items } = (await browsers[who].api(`/memory/search?q=${ANY}&limit=200`)).body;
      const text = JSON.stringify(items);
      for (const [other, canary] of Object.entries(CANARIES)) expect(text.includes(canary)).toBe(other === who);
      const sources = items.map(({ source }: { source: string }) => source);
      expect(new Set(sources)).toEqual(new Set(["memory", "history", "session"]));
      counts.push(items.length);
    }
    expect(counts[0]).toBe(counts[1]);
  });
});
