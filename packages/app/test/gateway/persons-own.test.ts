// What a person beside the owner has on the pages: what is theirs is found and changed there, and of everybody else's nothing.
import { callsTool, says } from "@margay/core/testing";
import { mkdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { type Browser, logIn } from "./browser.ts";
import { CANARIES, channels, house, lived, people, spaceOf, talks, writes } from "./persons-house.ts";
import type { TestGateway } from "./support.ts";

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
  const all = await gateway.app.agent.sessions.list();
  const others = all.map(({ id }) => id).filter((id) => !listed.includes(id));
  const answers = await Promise.all(others.map((id) => browsers.eva.api(`/search?q=${ANY}&session=${id}`)));
  expect(answers.length).toBeGreaterThan(2);
  expect(new Set(answers.map(({ body }) => body.code))).toEqual(new Set(["session.not-found"]));
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

describe("of jobs a person", () => {
  const HOURLY = { kind: "every", everyMs: 3_600_000 };
  const jobIn = (chat: string, more: object = {}): object => ({
    trigger: HOURLY,
    message: "look at the boat",
    target: { channel: "web", chat },
    ...more,
  });
  const add = (who: Browser, body: object): ReturnType<Browser["api"]> =>
    who.api("/cron/jobs", { method: "POST", body });
  /** Where their conversation answers. */
  const chatOf = async (gateway: TestGateway, who: Browser): Promise<string> => {
    const id = await talks(gateway, who, "hello");
    return (await who.api(`/sessions/${id}`)).body.chat;
  };
  const listed = async (who: Browser): Promise<readonly { readonly id: string; readonly message: string }[]> =>
    (await who.api("/cron/jobs")).body.items;

  test("PE30 lists, reads and foresees their own; another's and the owner's are not there, whatever is asked of their ids", async (t) => {
    const { gateway, browsers } = await lived(t);
    const { cron } = gateway.app.schedule;
    const all = (await cron?.list()) ?? [];
    expect(all.map(({ by }) => by)).toEqual([undefined, "bob", "eva"]);
    for (const who of ["eva", "bob"] as const) {
      const own = await listed(browsers[who]);
      expect(own.map(({ message }) => message)).toEqual([`say ${CANARIES[who]}`]);
      const { items } = (await browsers[who].api("/cron/upcoming?limit=200")).body;
      expect(new Set(items.map(({ job }: { job: string }) => job))).toEqual(new Set([own[0]?.id]));
    }
    expect(await listed(browsers.carl)).toEqual([]);
    const [hers] = await listed(browsers.eva);
    const chat = (await browsers.eva.api("/sessions")).body.items[0].chat;
    for (const { id, by } of all) {
      if (by === "eva") continue;
      const hash = (await browsers.owner.api(`/cron/jobs/${id}`)).body.hash;
      for (const [method, path, body] of [
        ["GET", "", undefined],
        ["PUT", "", jobIn(chat)],
        ["DELETE", "", undefined],
        ["GET", "/runs", undefined],
        ["POST", "/run", undefined],
        ["POST", "/pause", undefined],
        ["POST", "/resume", undefined],
      ] as const) {
        const answer = await browsers.eva.api(`/cron/jobs/${id}${path}`, {
          method,
          ...(body !== undefined && { body }),
          headers: { "if-match": `"${hash}"` },
        });
        expect([method, path, answer.status, answer.body.code]).toEqual([method, path, 404, "cron.not-found"]);
      }
    }
    expect(await cron?.list()).toEqual(all);
    // Of one that is gone it is not known whose it was.
    await cron?.runNow(all[1]?.id ?? "", gateway.gateway.services.closing);
    await cron?.remove(all[1]?.id ?? "");
    expect((await browsers.owner.api(`/cron/jobs/${all[1]?.id}/runs`)).body.items).toHaveLength(1);
    expect((await browsers.eva.api(`/cron/jobs/${all[1]?.id}/runs`)).status).toBe(404);
    expect(await listed(browsers.eva)).toEqual([hers]);
  });

  test("PE30 PE26 makes one that runs in their room and answers in their chat, pauses, changes and deletes it", async (t) => {
    const gateway = await house(t);
    const [eva, owner] = [await logIn(gateway, "eva"), await logIn(gateway)];
    gateway.model.replies(says("hello"));
    const chat = await chatOf(gateway, eva);
    const made = await add(eva, jobIn(chat));
    expect(made.status).toBe(201);
    expect(made.body).toMatchObject({ message: "look at the boat", target: { channel: "web", chat } });
    const { id } = made.body;
    gateway.model.replies(callsTool("read_file", { path: "USER.md" }), says("EVA-ANSWER"));
    expect((await eva.api(`/cron/jobs/${id}/run`, { method: "POST" })).status).toBe(202);
    const runs = async (who: Browser): Promise<object> => (await who.api(`/cron/jobs/${id}/runs`)).body.items;
    await expect
      .poll(() => runs(eva), { timeout: 10_000 })
      .toEqual([expect.objectContaining({ result: "ok", text: "EVA-ANSWER" })]);
    await gateway.app.agent.idle();
    const asked = JSON.stringify(gateway.model.requests.slice(1).map(({ body }) => body));
    expect(asked).toContain(`${CANARIES.eva} is eva.`);
    expect(asked).not.toContain(CANARIES.owner);
    const { items } = (await eva.api("/sessions?q=hello")).body;
    expect(JSON.stringify((await eva.api(`/sessions/${items[0].id}/messages`)).body)).toContain("EVA-ANSWER");
    const { session } = (await eva.api(`/cron/jobs/${id}`)).body;
    expect((await eva.api(`/sessions/${session}/messages`)).status).toBe(200);
    // The owner sees that there is one, and what it costs.
    const { body } = await owner.api(`/cron/jobs/${id}`);
    expect(body).toMatchObject({ person: "eva", message: "" });
    expect(JSON.stringify([body, await runs(owner)])).not.toMatch(/EVA-ANSWER|boat/);
    for (const [verb, enabled] of [
      ["pause", false],
      ["resume", true],
    ] as const)
      expect((await eva.api(`/cron/jobs/${id}/${verb}`, { method: "POST" })).body.enabled).toBe(enabled);
    const headers = { "if-match": `"${body.hash}"` };
    const change = jobIn(chat, { message: "look at the mast" });
    const changed = await eva.api(`/cron/jobs/${id}`, { method: "PUT", body: change, headers });
    expect(changed.body.message).toBe("look at the mast");
    expect((await gateway.app.schedule.cron?.list())?.map(({ by }) => by)).toEqual(["eva"]);
    const gone = { "if-match": `"${changed.body.hash}"` };
    expect((await eva.api(`/cron/jobs/${id}`, { method: "DELETE", headers: gone })).status).toBe(204);
    expect(await gateway.app.schedule.cron?.list()).toEqual([]);
  });

  test("PE30 means and sees their own time, on both sides of a change of the clock; the owner means the home's", async (t) => {
    const own = { ...people, eva: { ...people.eva, timeZone: "Europe/Berlin" } };
    const gateway = await house(t, { timeZone: "Asia/Tokyo", people: own });
    const [eva, owner] = [await logIn(gateway, "eva"), await logIn(gateway)];
    gateway.model.replies(says("hello"), says("hello"));
    const trigger = { kind: "cron", expression: "0 8 1 * *" };
    const times = async (who: Browser): Promise<readonly string[]> => {
      const { body } = await who.api("/cron/validate", { method: "POST", body: { trigger } });
      return body.next.map(({ local }: { local: string }) => local.slice(11, 22));
    };
    expect(new Set(await times(owner))).toEqual(new Set(["08:00+09:00"]));
    expect((await times(eva))[0]).toMatch(/^08:00\+0[12]:00$/);
    const added = await add(eva, jobIn(await chatOf(gateway, eva), { trigger }));
    expect(added.body.trigger).toMatchObject({ timeZone: "Europe/Berlin" });
    const to = Date.now() + 400 * 86_400_000;
    const { items } = (await eva.api(`/cron/upcoming?to=${to}&limit=200`)).body;
    const locals = items.map(({ local }: { local: string }) => local.slice(11, 22));
    expect(new Set(locals)).toEqual(new Set(["08:00+01:00", "08:00+02:00"]));
    const hourly = await add(eva, jobIn(added.body.target.chat));
    const { items: all } = (await eva.api("/cron/upcoming?limit=200")).body;
    const [first] = all.filter(({ job }: { job: string }) => job === hourly.body.id);
    expect(first.local).toMatch(/\+0[12]:00 /);
    const mine = await add(owner, jobIn(await chatOf(gateway, owner), { trigger }));
    expect(mine.body.trigger).toMatchObject({ timeZone: "Asia/Tokyo" });
  });

  test("PE30 has it answer where they alone read, and nowhere else", async (t) => {
    const { gateway, browsers } = await lived(t);
    const own = (await browsers.eva.api("/sessions")).body.items;
    for (const { channel, chat } of own) {
      const answer = await add(browsers.eva, jobIn(chat, { target: { channel, chat } }));
      expect(answer.status).toBe(201);
      const { id, hash } = answer.body;
      const bobs = (await browsers.bob.api("/sessions")).body.items[0];
      const moved = await browsers.eva.api(`/cron/jobs/${id}`, {
        method: "PUT",
        body: jobIn(bobs.chat, { target: { channel: bobs.channel, chat: bobs.chat } }),
        headers: { "if-match": `"${hash}"` },
      });
      expect(moved.body.code).toBe("cron.invalid");
    }
    const others = [browsers.owner, browsers.bob].map(async (who) => (await who.api("/sessions")).body.items);
    const mine = new Set(own.map(({ id }: { id: string }) => id));
    const foreign = (await Promise.all(others)).flat().filter(({ id }: { id: string }) => !mine.has(id));
    expect(foreign.length).toBeGreaterThan(2);
    const targets = [
      ...foreign.map(({ channel, chat }: { channel: string; chat: string }) => ({ channel, chat })),
      { channel: "webhook", chat: "bob" },
      { channel: "cli", chat: "terminal" },
    ];
    const before = (await gateway.app.schedule.cron?.list())?.length;
    for (const target of targets) {
      const { status, body } = await add(browsers.eva, jobIn("", { target }));
      expect([status, body.code, body.errors?.[0]?.path]).toEqual([422, "cron.invalid", "/target"]);
    }
    expect((await gateway.app.schedule.cron?.list())?.length).toBe(before);
  });

  test("PE30 has twenty at most, also when they are asked for at once", async (t) => {
    const gateway = await house(t);
    const eva = await logIn(gateway, "eva");
    gateway.model.replies(says("hello"));
    const chat = await chatOf(gateway, eva);
    const answers = await Promise.all(Array.from({ length: 25 }, () => add(eva, jobIn(chat))));
    expect(answers.filter(({ status }) => status === 201)).toHaveLength(20);
    expect(await gateway.app.schedule.cron?.list()).toHaveLength(20);
  });

  test("PE30 PE47 changes one that was made with another's words in view, and it keeps who may read them", async (t) => {
    const gateway = await house(t);
    const eva = await logIn(gateway, "eva");
    gateway.model.replies(says("hello"));
    const chat = await chatOf(gateway, eva);
    const marks = { integrity: "untrusted", readers: [{ by: "bob", to: ["bob", "eva"] }] } as never;
    const to = { channel: "web", chat };
    const job = await gateway.app.schedule.cron?.add({ message: "m", every_seconds: 3600, to, by: "eva", marks });
    const path = `/cron/jobs/${job?.id}`;
    const headers = { "if-match": `"${(await eva.api(path)).body.hash}"` };
    expect((await eva.api(path, { method: "PUT", body: jobIn(chat), headers })).status).toBe(200);
    expect((await gateway.app.schedule.cron?.list())?.[0]?.marks).toEqual(marks);
  });
});
