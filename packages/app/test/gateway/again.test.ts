// A gateway in a terminal that is asked to begin anew: in its process, at its address, with what was to be done in between.
import { existsSync, mkdirSync, readFileSync, renameSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { startMockModel } from "@margay/core/testing";
import { expect, onTestFinished, test } from "vitest";
import { margay, modelConfig, type Margay } from "../cli/harness.ts";
import { countbotJuly } from "../import/real-countbot.ts";
import { nanobotToday } from "../import/real-nanobot.ts";
import { openclawSeptember } from "../import/real-openclaw.ts";
import { startGateway } from "./support.ts";

interface Answer {
  readonly status: number;
  readonly etag: string;
  // eslint-disable-next-line typescript/no-explicit-any -- answers of every shape are looked into
  readonly body: any;
}

interface Running {
  readonly made: Margay;
  api(path: string, body?: unknown, more?: { readonly method?: string; readonly etag?: string }): Promise<Answer>;
  /** Waits for another life than this one. */
  after(life: string): Promise<Answer>;
}

/** `margay gateway` as a person starts it, with a free port that the system chose. */
async function running(prepare: (directory: string) => void = () => {}): Promise<Running> {
  const model = await startMockModel({ rules: "off" });
  onTestFinished(() => model.close());
  const made = margay();
  made.configure({ ...modelConfig(model.url), heartbeat: { enabled: false }, gateway: { port: 0 } });
  prepare(made.directory);
  const stop = new AbortController();
  const said = Promise.withResolvers<string>();
  const ended = made.run(["gateway"], {
    signal: stop.signal,
    onOut: (out) => out.includes("margay open") && said.resolve(out),
  });
  onTestFinished(async () => {
    stop.abort(new Error("stopped by SIGTERM"));
    await ended;
  });
  const url = /http:\S+(?=\n)/.exec(await said.promise)?.[0] ?? "";
  const token = (): string =>
    (JSON.parse(readFileSync(join(made.home, "gateway.json"), "utf8")) as { token: string }).token;
  const first = token();
  const api: Running["api"] = async (path, body, { method, etag } = {}) => {
    const response = await fetch(`${url}/api/v1${path}`, {
      method: method ?? (body === undefined ? "GET" : "POST"),
      headers: {
        authorization: `Bearer ${existsSync(join(made.home, "gateway.json")) ? token() : first}`,
        "content-type": "application/json",
        ...(etag !== undefined && { "if-match": etag }),
      },
      ...(body !== undefined && { body: JSON.stringify(body) }),
    });
    const answer: unknown = await response.json();
    return { status: response.status, etag: response.headers.get("etag") ?? "", body: answer };
  };
  return {
    made,
    api,
    after: async (life) => {
      const next = async (): Promise<Answer | undefined> => {
        const answer = await api("/system").catch(() => undefined); // it is away
        return answer?.status === 200 && answer.body.life !== life ? answer : undefined;
      };
      await expect.poll(next, { timeout: 30_000, interval: 50 }).toBeDefined();
      return api("/system");
    },
  };
}

test("a workspace that is chosen is used at once: the gateway begins anew in its process, at its address", async () => {
  const { made, api, after } = await running();
  const folder = join(made.directory, "work");
  expect(await api("/workspace/folders", { path: "~/work" })).toMatchObject({ status: 200, body: { path: folder } });
  expect(existsSync(folder)).toBe(true);
  const { etag } = await api("/settings");
  expect((await api("/settings", { workspace: "~/work" }, { method: "PATCH", etag })).status).toBe(200);
  const before = (await api("/system")).body;
  expect(before).toMatchObject({ supervised: true, pendingRestart: ["workspace"] });
  expect((await api("/system/restart", { when: "now" })).status).toBe(202);
  expect((await after(before.life)).body).toMatchObject({ workspace: folder, pendingRestart: [] });
});

test("a folder that cannot be the workspace is refused before anything is written", async () => {
  const { made, api } = await running((directory) => writeFileSync(join(directory, "a-file"), ""));
  for (const path of ["~/a-file", "~/a-file/below", made.directory, "/proc/nothing-is-made-here"])
    expect(await api("/workspace/folders", { path })).toMatchObject({
      status: 422,
      body: { code: "settings.invalid" },
    });
});

test("folders are listed without hidden ones and files, with the way up; of one that is not there it is said", async () => {
  const { made, api } = await running((directory) => {
    for (const name of ["b", "a", ".hidden"]) mkdirSync(join(directory, "at", name), { recursive: true });
    writeFileSync(join(directory, "at", "a-file"), "");
  });
  const path = join(made.directory, "at");
  const listed = await api(`/workspace/folders?path=${encodeURIComponent(path)}`);
  expect(listed.body).toEqual({ path, parent: made.directory, folders: ["a", "b"], more: false });
  expect((await api("/workspace/folders")).body.path).toBe(made.directory);
  expect((await api("/workspace/folders?path=/not-there")).body.code).toBe("media.not-found");
  const never = { path: "a\0b" };
  expect((await api("/workspace/folders", never)).body.code).toBe("settings.invalid");
  expect((await api("/imports/plan", never)).body.code).toBe("import.invalid");
});

test.each([
  ["nanobot", ".nanobot", nanobotToday],
  ["countbot", "CountBot", countbotJuly],
  ["openclaw", ".openclaw", openclawSeptember],
] as const)("a home of %s is found, shown and taken over while the page waits", async (kind, name, make) => {
  const { made, api, after } = await running((directory) => renameSync(make(directory), join(directory, name)));
  const path = join(made.directory, name);
  expect((await api("/imports/homes")).body).toEqual({ items: [{ kind, path }] });
  const plan = (await api("/imports/plan", { path })).body;
  expect(plan.takes.session).toBeGreaterThan(0);
  expect(plan.leftOut.every(({ reason }: { readonly reason: string }) => reason !== "")).toBe(true);
  const chats = (await api("/sessions")).body.items.length as number;
  const { life } = (await api("/system")).body;
  expect(await api("/imports", { path })).toMatchObject({ status: 202, body: { takes: plan.takes } });
  await after(life);
  expect((await api("/sessions")).body.items).toHaveLength(chats + (plan.takes.session as number));
  const again = (await api("/imports/plan", { path })).body;
  expect(Object.values(again.takes as object).every((count) => count === 0)).toBe(true);
  expect((await api("/imports/homes")).body.fault).toBeUndefined();
});

test("what was not taken over says why, and the gateway is there all the same", async () => {
  const { made, api, after } = await running((directory) =>
    renameSync(nanobotToday(directory), join(directory, ".nanobot")),
  );
  const path = join(made.directory, ".nanobot");
  const { life } = (await api("/system")).body;
  expect((await api("/imports", { path })).status).toBe(202);
  renameSync(path, join(made.directory, "elsewhere"));
  await after(life);
  expect((await api("/imports/homes")).body).toEqual({ items: [], fault: `${path} is there no more` });
});

test("what is no home, or is margay's own, is refused; and so is the import where nothing would begin anew", async (t) => {
  const { home, api } = await startGateway(t, {
    prepare: (place) => nanobotToday(place.workspace),
  });
  const post = (path: string, to = "/imports"): ReturnType<typeof api> => api(to, { method: "POST", body: { path } });
  for (const to of ["/imports", "/imports/plan"])
    for (const path of [home, "/not-there"])
      expect(await post(path, to)).toMatchObject({ status: 422, body: { code: "import.invalid" } });
});

test("folder-routes/MAX_FOLDERS: 500 folders are named, and that there are more", async (t) => {
  const { workspace, api } = await startGateway(t);
  const at = (count: number): string => {
    const folder = join(workspace, String(count));
    for (let n = 0; n < count; n += 1) mkdirSync(join(folder, String(n)), { recursive: true });
    return encodeURIComponent(folder);
  };
  const listed = async (count: number): Promise<readonly unknown[]> => {
    const { folders, more } = (await api(`/workspace/folders?path=${at(count)}`)).body;
    return [folders.length, more];
  };
  expect([await listed(500), await listed(501)]).toEqual([
    [500, false],
    [500, true],
  ]);
});

test("import-home/routes/MAX_LEFT_OUT: 200 files that stay are named, and that there are more", async (t) => {
  const { workspace, api } = await startGateway(t);
  const planned = async (count: number): Promise<readonly unknown[]> => {
    const home = join(workspace, String(count));
    mkdirSync(join(home, "workspace"), { recursive: true });
    writeFileSync(join(home, "config.json"), "{}");
    for (let n = 0; n < count; n += 1) writeFileSync(join(home, `left-${String(n)}.bin`), "x");
    const { leftOut, more } = (await api("/imports/plan", { method: "POST", body: { path: home } })).body;
    return [leftOut.length, more];
  };
  expect([await planned(200), await planned(201)]).toEqual([
    [200, false],
    [200, true],
  ]);
});
