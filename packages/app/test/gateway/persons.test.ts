// A login of a person beside the owner: their own conversations, and of everybody else's nothing.
import { openFileDocs } from "@margay/core/internal";
import { callsTool, says } from "@margay/core/testing";
import { stalls } from "@margay/core/internal/testing";
import { globSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { describe, expect, test } from "vitest";
import { WebSocket } from "ws";
import { COMMAND_NAMES, systemClock, systemIds } from "@margay/core/internal";
import { ROUTES } from "../../src/compose/routes.ts";
import { cookieName } from "../../src/host/auth/identify.ts";
import { type BrowserLogin, openAuth } from "../../src/host/auth/store.ts";
import { type Browser, browserOf, logIn } from "./browser.ts";
import { client, type Client } from "./frames.ts";
import { requestText, sendRaw } from "./raw.ts";
import { CANARIES, channels, house, lived, people, spaceOf, talks, textOf, writes } from "./persons-house.ts";
import { startGateway, type TestGateway } from "./support.ts";

/** Whatever a path may name. */
async function names({ app }: TestGateway): Promise<Readonly<Record<string, readonly string[]>>> {
  const all = await app.agent.sessions.list();
  const jobs = (await app.schedule.cron?.list()) ?? [];
  const found: Record<string, Set<string>> = { turn: new Set(), call: new Set(), item: new Set(), hash: new Set() };
  const files = new Set<string>();
  for (const { key } of all)
    for await (const { seq, records } of (await app.agent.sessions.find(key))?.history() ?? [])
      for (const [index, record] of records.entries()) {
        found["item"]?.add(`${seq}.${index}`);
        for (const [, sha256 = ""] of JSON.stringify(record).matchAll(/"sha256":"(\w{64})"/g)) files.add(sha256);
        if (record.type === "turn.started") found["turn"]?.add(record.turn);
        if (record.type === "tool.started") found["call"]?.add(record.call);
        if (record.type === "prefix.frozen") found["hash"]?.add(record.prefix.hash);
      }
  const ids = all.map(({ id }) => id);
  return {
    ...Object.fromEntries(Object.entries(found).map(([name, values]) => [name, [...values].slice(0, 12)])),
    sha256: [...files],
    id: [...ids, ...jobs.map(({ id }) => id)],
    session: ids,
    key: all.map(({ key }) => key),
    name: ["MEMORY.md", "USER.md"],
  };
}

function filled(path: string, values: Readonly<Record<string, readonly string[]>>): readonly string[] {
  const name = /\{([^}]+)\}/.exec(path)?.[1];
  if (name === undefined) return [path];
  return (values[name] ?? ["none"]).flatMap((value) =>
    filled(path.replace(`{${name}}`, encodeURIComponent(value)), values),
  );
}

/** What a login of a person may ask for at all. */
const OPEN: readonly string[] = [
  "addJob",
  "changeJob",
  "changeSession",
  "compactSession",
  "createSession",
  "deletePreset",
  "deleteSession",
  "exportSession",
  "followSession",
  "getPush",
  "listFacts",
  "listJobs",
  "listMemoryFiles",
  "listMemoryVersions",
  "listMessages",
  "listPresets",
  "listRuns",
  "listSessionFolders",
  "listSessions",
  "listTurns",
  "listWorkspace",
  "logout",
  "pauseJob",
  "putPreset",
  "readJob",
  "readMedia",
  "readMemoryFile",
  "readMemoryVersion",
  "readMessage",
  "readSession",
  "readSessionByKey",
  "readWorkspaceFile",
  "removeJob",
  "resetSession",
  "resolveApproval",
  "restoreMemoryVersion",
  "restoreSession",
  "resumeJob",
  "runJob",
  "search",
  "searchMemory",
  "sendMessage",
  "stopSession",
  "subscribePush",
  "tryPush",
  "unsubscribePush",
  "upcomingRuns",
  "upload",
  "validateTrigger",
  "withdrawMessage",
  "writeMemoryFile",
];

test("PE30 a crawl of all routes as four people: each finds what is theirs, and not a byte of another's", async (t) => {
  const { gateway, browsers } = await lived(t);
  const values = await names(gateway);
  const reads = ROUTES.filter(({ method }) => method === "GET").flatMap(({ path }) => filled(path, values));
  expect(reads.length).toBeGreaterThan(150);
  expect(values["sha256"]).toHaveLength(3);
  const media = (values["sha256"] ?? []).flatMap((sha256) =>
    (values["session"] ?? []).map((session) => `/media/${sha256}?session=${session}`),
  );
  const files = ["secret.txt", "USER.md", "../p-bob/USER.md"].map((path) => `/workspace/content?path=${path}`);
  const keys = (values["key"] ?? []).map((key) => `/sessions/by-key?key=${encodeURIComponent(key)}`);
  for (const who of ["eva", "bob", "carl"] as const) {
    const foreign = Object.entries(CANARIES).flatMap(([other, canary]) => (other === who ? [] : [canary]));
    let own = 0;
    for (const path of [...reads.filter((each) => !each.endsWith("/events")), ...keys, ...media, ...files]) {
      const { status, body } = await browsers[who].api(path, { headers: { accept: "application/json" } });
      expect(status).not.toBe(429);
      const text = JSON.stringify(body);
      for (const canary of foreign) expect(text.includes(canary) ? `${who} reads ${path}` : "").toBe("");
      if (who !== "carl" && status < 400 && text.includes(CANARIES[who])) own += 1;
    }
    expect(own > 6).toBe(who !== "carl");
  }
  // The owner's pages show theirs, and of others who and how much.
  const { body } = await browsers.owner.api("/sessions?limit=200");
  expect(JSON.stringify(body)).toContain(CANARIES.owner);
  expect(JSON.stringify(body)).not.toMatch(/CANARY-(?:EVA|BOB)/);
  expect(body.items.filter(({ private: hidden }: { private?: true }) => hidden)).toHaveLength(4);
});

test("PE30 a login of a person has a closed list of routes; everything else is refused before it is looked at", async (t) => {
  const gateway = await house(t);
  const eva = await logIn(gateway, "eva");
  const open: string[] = [];
  for (const { id, path, method, scope } of ROUTES) {
    if (scope === "public") continue;
    if (id === "logout") continue;
    const { status, body } = await eva.api(path.replaceAll(/\{[^}]+\}/g, "none"), { method });
    if (status !== 403 || (body.code ?? body.error.code) !== "auth.scope") open.push(id);
  }
  expect([...open, "logout"].toSorted()).toEqual(OPEN);
});

describe("on the pages a person", () => {
  test("PE30 PE29a talks in their own room, as themselves", async (t) => {
    const gateway = await house(t);
    const eva = await logIn(gateway, "eva");
    gateway.model.replies(callsTool("read_file", { path: "../../workspace/USER.md" }), says("Tea."));
    const id = await talks(gateway, eva, "What do I like?");
    const requests = JSON.stringify(gateway.model.requests.map(({ body }) => body));
    expect(requests).toContain(`${CANARIES.eva} is eva.`);
    expect(requests).not.toMatch(/CANARY-(?:OWNER|BOB)/);
    const { body } = await eva.api(`/sessions/${id}`);
    expect(body).toMatchObject({ audience: "eva", title: "What do I like?" });
    const session = await gateway.app.agent.sessions.find(body.key);
    expect(session?.state.label.integrity).toBe("trusted");
    // What costs is the house's to choose; what is in nobody's upload is not sent.
    for (const change of [{ model: "openai/gpt-5" }, { overrides: { limits: { maxIterations: 500 } } }]) {
      const answer = await eva.api(`/sessions/${id}`, {
        method: "PATCH",
        body: change,
        headers: { "if-match": `"${body.hash}"` },
      });
      expect(answer.body.code).toBe("auth.scope");
    }
    expect((await eva.api("/sessions", { method: "POST", body: { model: "openai/gpt-5" } })).body.code).toBe(
      "auth.scope",
    );
    const chosen = await eva.api("/sessions", { method: "POST", body: { persona: "gentle" } });
    expect(chosen.body).toMatchObject({ audience: "eva", persona: "gentle" });
    const { blob } = (await gateway.api("/uploads?name=a.txt", { method: "POST", raw: "OWNERS FILE" })).body;
    const sent = await eva.api(`/sessions/${id}/messages`, {
      method: "POST",
      body: { parts: [{ type: "media", blob }] },
    });
    expect(sent.body.code).toBe("media.not-found");
  });

  test("PE9 PE30 gives the commands of their role and no others", async (t) => {
    const gateway = await house(t);
    const [eva, bob] = [await logIn(gateway, "eva"), await logIn(gateway, "bob")];
    const says1 = async (who: Browser, text: string): Promise<string> => {
      const id = await talks(gateway, who, text);
      return JSON.stringify((await who.api(`/sessions/${id}/messages`)).body);
    };
    expect(await says1(eva, "/whoami")).toContain("eva");
    for (const command of ["/rules", "/model", "/stop all"])
      expect(await says1(eva, command)).toContain("Only an operator");
    expect(await says1(bob, "/rules")).not.toContain("Only an operator");
    const { status } = gateway.app.inside.stopFlag.on ? { status: "stopped" } : { status: "runs" };
    expect(status).toBe("runs");
  });

  test("PE30 sees nothing of a conversation in which somebody else spoke before it became theirs", async (t) => {
    const guests = { webhook: { ...channels.webhook, allowFrom: ["dan"] } };
    const gateway = await house(t, { channels: guests });
    gateway.model.replies(says("hi"), says("hello dan"));
    await writes(gateway, "dan", "as a guest: CANARY-BEFORE");
    await gateway.configure({ people: { ...people, dan: { ids: ["webhook:dan"] } }, channels });
    await writes(gateway, "dan", "as a person");
    const dan = await logIn(gateway, "dan");
    expect((await dan.api("/sessions")).body.items).toEqual([]);
  });

  test("PE31 is alone in what is theirs: the owner writes, steers and forks nothing there, also when it was opened, and may stop it", async (t) => {
    const gateway = await house(t);
    const eva = await logIn(gateway, "eva");
    gateway.model.replies(says("yes"));
    const id = await talks(gateway, eva, "hello");
    expect((await gateway.api(`/sessions/${id}/open`, { method: "POST", body: {} })).status).toBe(200);
    expect((await gateway.api(`/sessions/${id}/messages`)).status).toBe(200);
    for (const [path, body] of [
      ["messages", textOf("I am Eva")],
      ["fork", {}],
      ["regenerate", { turn: "none" }],
      ["reset", undefined],
      ["compact", undefined],
    ] as const) {
      const answer = await gateway.api(`/sessions/${id}/${path}`, { method: "POST", ...(body && { body }) });
      expect([path, answer.body.code]).toEqual([path, "auth.private"]);
    }
    gateway.model.replies(stalls());
    const before = gateway.model.requests.length;
    await eva.api(`/sessions/${id}/messages`, { method: "POST", body: textOf("think") });
    await gateway.model.received(before + 1);
    const stopped = await gateway.api(`/sessions/${id}/stop`, { method: "POST", body: {} });
    expect(stopped.body.turn).not.toBeNull();
    await gateway.app.agent.idle();
  });

  test("PE30 PE91 answers what stays in their own room, and nothing else", async (t) => {
    const gateway = await house(t);
    mkdirSync(join(spaceOf(gateway, "eva"), "inbox"), { recursive: true });
    writeFileSync(join(spaceOf(gateway, "eva"), "inbox", "mail.txt"), "a stranger's text");
    const [eva, bob] = [await logIn(gateway, "eva"), await logIn(gateway, "bob")];
    const ask = async (tool: ReturnType<typeof callsTool>): Promise<{ id: string; call: string; hash: string }> => {
      gateway.model.replies(callsTool("read_file", { path: "inbox/mail.txt" }), tool, says("done"));
      const { body } = await eva.api("/sessions", { method: "POST", body: { message: textOf("go on") } });
      const waits = async (): Promise<{ call: string; hash: string } | undefined> => {
        const { items } = (await gateway.api("/approvals")).body;
        return items.find(({ session }: { session: string }) => session === body.id);
      };
      await expect.poll(waits, { timeout: 10_000 }).toBeDefined();
      return { id: body.id, ...(await waits())! };
    };
    const answer = async (who: Browser, { id, call, hash }: Awaited<ReturnType<typeof ask>>) => {
      const page = await follows(gateway, who);
      return page.ask({ type: "approval.resolve", session: id, call, hash, verdict: "allow" });
    };
    const own = await ask(callsTool("remember", { text: "EVA likes tea" }));
    expect((await answer(bob, own)).error?.code).toBe("session.not-found");
    expect((await answer(eva, own)).type).toBe("reply");
    await gateway.app.agent.idle();
    expect(readFileSync(join(spaceOf(gateway, "eva"), "memory", "MEMORY.md"), "utf8")).toContain("EVA likes tea");
    const again = await ask(callsTool("remember", { text: "EVA likes cake" }));
    const { of } = (await gateway.api("/approvals")).body.items.find(
      ({ call }: { call: string }) => call === again.call,
    );
    expect(of).toBe("eva"); // by which the page knows whom it shows the buttons
    const over = (who: Browser): ReturnType<Browser["api"]> =>
      who.api(`/sessions/${again.id}/approvals/${again.call}`, {
        method: "POST",
        body: { verdict: "allow", hash: again.hash },
      });
    expect((await over(bob)).body.code).toBe("session.not-found");
    expect((await over(eva)).status).toBe(200);
    await gateway.app.agent.idle();
    const others = await ask(callsTool("web_fetch", { url: "https://example.org/?q=tea" }));
    expect((await answer(eva, others)).error?.code).toBe("auth.scope");
    const denied = await gateway.api(`/sessions/${others.id}/approvals/${others.call}`, {
      method: "POST",
      body: { verdict: "deny", hash: others.hash },
    });
    expect(denied.status).toBe(200);
    await gateway.app.agent.idle();
  });

  test("PE10 has no login any more when they are removed", async (t) => {
    const gateway = await house(t);
    const carl = await logIn(gateway, "carl");
    const page = await follows(gateway, carl);
    expect((await carl.api("/sessions")).status).toBe(200);
    const { code } = gateway.gateway.auth.codes.mint("login", "carl");
    const { carl: _gone, ...left } = people;
    await gateway.configure({ people: left, channels });
    expect((await page.closed).code).toBe(4401);
    expect((await carl.api("/sessions")).status).toBe(401);
    const late = await gateway.api("/auth/exchange", { method: "POST", body: { code }, token: null });
    expect(late.body.code).toBe("auth.code-expired");
  });
});

test("PE10 who was removed while no gateway ran has no login either", async (t) => {
  const logins: BrowserLogin[] = [];
  const gateway = await startGateway(t, {
    config: { people, channels },
    prepare: async ({ home }) => {
      const lifetimes = (): { idleMs: number; maxMs: number } => ({ idleMs: 3_600_000, maxMs: 3_600_000 });
      using auth = openAuth({
        docs: openFileDocs(home),
        clock: systemClock(),
        ids: systemIds(),
        configured: undefined,
        lifetimes,
      });
      for (const person of ["dan", "eva"])
        logins.push(await auth.openBrowser({ address: "127.0.0.1", userAgent: "test" }, person));
    },
  });
  const asks = logins.map(({ cookie, key }) =>
    browserOf(gateway, `${cookieName(gateway.port, false)}=${cookie}`, key).api("/sessions"),
  );
  expect((await Promise.all(asks)).map(({ status }) => status)).toEqual([401, 200]);
  expect((await gateway.api("/auth/browsers")).body.items.map((one: { for: string }) => one.for)).toEqual(["eva"]);
});

/** The socket of a page. */
async function follows(gateway: TestGateway, browser: Browser, path = "/ws"): Promise<Client> {
  const socket = new WebSocket(
    `${gateway.url.replace("http", "ws")}${path}`,
    ["margay.v1", `margay.key.${browser.key}`],
    {
      headers: { cookie: browser.cookie, origin: gateway.url },
    },
  );
  const made = client(socket);
  await new Promise<void>((resolve, reject) => {
    socket.once("open", resolve);
    socket.once("error", reject);
  });
  return made;
}

test("PE30 a person's socket follows what is theirs: other conversations are not there, and of the list they hear of their own", async (t) => {
  const { gateway, browsers } = await lived(t);
  const all = await gateway.app.agent.sessions.list();
  const page = await follows(gateway, browsers.eva);
  const { items } = (await browsers.eva.api("/sessions")).body;
  const own = new Set(items.map(({ id }: { id: string }) => id));
  expect(own.size).toBe(2);
  for (const { id } of all) {
    const { type } = await page.ask({ type: "subscribe", session: id });
    expect(type).toBe(own.has(id) ? "reply" : "error");
    const stop = await page.ask({ type: "turn.stop", session: id });
    expect(stop.type).toBe(own.has(id) ? "reply" : "error");
  }
  expect((await page.ask({ type: "subscribe", topic: "sessions" })).type).toBe("reply");
  for (const topic of ["approvals", "usage", "tasks", "channels", "system", "mcp"])
    expect((await page.ask({ type: "subscribe", topic })).error?.code).toBe("auth.scope");
  gateway.model.replies(says("for the owner"), says("for Eva"));
  await talks(gateway, browsers.owner, "CANARY-LATER");
  const mine = await talks(gateway, browsers.eva, "news");
  await page.until((frame) => frame.type === "topic" && frame.data.changed === mine);
  const topics = page.frames.filter(({ type }) => type === "topic");
  const heard = new Set(topics.map(({ data }) => data.changed));
  expect([...heard].filter((id) => id !== mine && !own.has(id))).toEqual([]);
  expect(JSON.stringify(page.frames)).not.toMatch(/CANARY-(?:OWNER|BOB|LATER)/);
  expect((await page.ask({ type: "subscribe", topic: "cron" })).type).toBe("reply");
  const [owners, bobs, hers] = (await gateway.app.schedule.cron?.list()) ?? [];
  for (const job of [owners, bobs, hers]) await gateway.app.schedule.cron?.setEnabled(job?.id ?? "", false);
  await page.until((frame) => frame.type === "topic" && frame.data.job === hers?.id);
  const named = page.frames.flatMap(({ type, data }) => (type === "topic" && data.job !== undefined ? [data.job] : []));
  expect(new Set(named)).toEqual(new Set([hers?.id]));
  await expect(follows(gateway, browsers.eva, "/ws/chat")).rejects.toThrow("403");
  await expect(follows(gateway, browsers.eva, "/ws?protocol=seed")).rejects.toThrow("403");
});

test("PE30 a page is told what its login may do, and nothing else is: routes and commands, by the role", async (t) => {
  const gateway = await house(t);
  const told = async (who: Browser): Promise<Record<string, unknown>> => {
    const page = await follows(gateway, who);
    return (await page.until(({ type }) => type === "welcome"))["person"] as Record<string, unknown>;
  };
  const [owner, eva, bob] = [await logIn(gateway), await logIn(gateway, "eva"), await logIn(gateway, "bob")];
  expect(await told(owner)).toBeUndefined();
  const hers = await told(eva);
  expect((hers["operations"] as string[]).toSorted()).toEqual(OPEN);
  expect(hers["id"]).toBe("eva");
  for (const name of hers["commands"] as string[]) {
    const id = await talks(gateway, eva, `/${name}`);
    expect(JSON.stringify((await eva.api(`/sessions/${id}/messages`)).body)).not.toContain("Only an operator");
  }
  expect(hers["commands"]).not.toContain("model");
  const his = await told(bob);
  expect(his).toMatchObject({ id: "bob", operator: true, operations: hers["operations"] });
  expect(his["commands"]).toContain("model");
});

test("PE30 what a page asks about before it offers something is an operation or a command that there is", () => {
  const source = fileURLToPath(new URL("../../src", import.meta.url));
  const files = ["web/**/*.{ts,tsx}", "features/*/page/**/*.{ts,tsx}"].flatMap((each) =>
    globSync(each, { cwd: source }),
  );
  const asked = files.flatMap((file) => {
    if (/\.(?:en|zh)\.ts$/.test(file)) return [];
    const text = readFileSync(join(source, file), "utf8");
    return [/\bmay\("([^"]+)"\)/g, /\bneeds[:=] ?"([^"]+)"/g, /\bpanel\(\s*"\w+",\s*"\w+",\s*"(\w+)"/g].flatMap(
      (pattern) => [...text.matchAll(pattern)].map(([, name = ""]) => name),
    );
  });
  expect(asked.length).toBeGreaterThan(30);
  const known = new Set([...ROUTES.map(({ id }) => id), ...COMMAND_NAMES.map((name) => `/${name}`)]);
  expect(asked.filter((name) => !known.has(name))).toEqual([]);
});

describe("a user of the proxy", () => {
  const users = ["ada", { value: "eva@example.org", person: "eva" }, { value: "boss", person: "owner" }];
  const proxyAuth = { peers: ["127.0.0.1/32"], header: "Remote-User", users };
  const asks = ({ port }: TestGateway, user: string, path: string, body?: object): ReturnType<typeof sendRaw> => {
    const headers = { "remote-user": user, origin: `http://127.0.0.1:${port}`, "content-type": "application/json" };
    const method = body === undefined ? "GET" : "POST";
    return sendRaw(port, requestText(port, method, `/api/v1${path}`, headers, body && JSON.stringify(body)));
  };

  const arrives = async (gateway: TestGateway, user: string): Promise<Client> => {
    const headers = { "remote-user": user, origin: gateway.url };
    const socket = new WebSocket(`${gateway.url.replace("http", "ws")}/ws`, ["margay.v1"], { headers });
    const page = client(socket);
    await page.until(({ type }) => type === "welcome");
    return page;
  };

  test("PE29a is the owner or a person: two users, two rooms", async (t) => {
    const gateway = await house(t, { gateway: { proxyAuth } });
    const { model } = gateway;
    for (const [user, text] of [
      ["ada", "hello of ada"],
      ["eva@example.org", "hello of eva"],
    ] as const) {
      model.replies(says("yes"));
      expect((await asks(gateway, user, "/sessions", { message: textOf(text) })).status).toBe(201);
      await gateway.app.agent.idle();
    }
    const [first, second] = model.requests.map(({ body }) => JSON.stringify(body));
    expect(first).toContain(CANARIES.owner);
    expect(second).toContain(CANARIES.eva);
    expect(second).not.toContain(CANARIES.owner);
    expect((await asks(gateway, "eva@example.org", "/sessions")).text).not.toContain("hello of ada");
    for (const user of ["ada", "boss"]) expect((await asks(gateway, user, "/auth/tokens")).status).toBe(200);
    expect((await asks(gateway, "eva@example.org", "/auth/tokens")).status).toBe(403);
    expect((await asks(gateway, "eva", "/sessions")).status).toBe(401);
    expect((await asks(gateway, "eva@example.org", "/auth/state")).text).toContain('"for":"eva"');
  });

  test("PE29a is somebody else, or nobody, from the moment on in which the configuration says so", async (t) => {
    const gateway = await house(t, { gateway: { proxyAuth } });
    expect((await asks(gateway, "ada", "/auth/tokens")).status).toBe(200);
    const pages = await Promise.all(["ada", "eva@example.org"].map((user) => arrives(gateway, user)));
    await gateway.configure({
      people,
      channels,
      gateway: { proxyAuth: { ...proxyAuth, users: [{ value: "ada", person: "bob" }] } },
    } as never);
    for (const page of pages) expect((await page.closed).code).toBe(4401);
    expect((await asks(gateway, "ada", "/auth/tokens")).status).toBe(403);
    expect((await asks(gateway, "eva@example.org", "/sessions")).status).toBe(401);
  });
});
