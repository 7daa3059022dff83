// `Idempotency-Key` over kills: the same POST to the next process gets the same answer, and what it makes is there once.
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { says } from "@margay/core/testing";
import { afterAll, beforeAll, expect, test } from "vitest";
import { killedGateway, type KilledGateway, type Running } from "./killed-gateway.ts";

const DIES = new URL("dies-at-file.ts", import.meta.url).href;
const SKILL = "---\nname: tea\ndescription: Makes tea.\n---\nBoil water.\n";
const PERSONA = { id: "mine", name: "Mine", description: "", traits: ["brief"], style: "" };
const JOB = {
  trigger: { kind: "every", everyMs: 86_400_000 },
  mode: "deliver",
  message: "water the plants",
  target: { channel: "web", chat: "me" },
};

interface Answer {
  readonly status: number;
  readonly body: Record<string, unknown> & { readonly items?: readonly Record<string, unknown>[] };
  readonly isReplay: boolean;
}

interface Maker {
  readonly name: string;
  /** `{session}`, `{turn}`, `{job}`: of what was there before. */
  readonly path: string;
  readonly body: object | string;
  /** Another request, which the key is not for. */
  readonly other: object | string;
  /** Lists what it makes. */
  readonly list: string;
}

const MAKERS: readonly Maker[] = [
  { name: "a job", path: "/cron/jobs", body: JOB, other: { ...JOB, message: "other" }, list: "/cron/jobs" },
  { name: "a run of a job", path: "/cron/jobs/{job}/run", body: "", other: "{}", list: "/cron/jobs/{job}/runs" },
  { name: "a session", path: "/sessions", body: { title: "plain" }, other: { title: "other" }, list: "/sessions" },
  {
    name: "a session with its message",
    path: "/sessions",
    body: { message: { parts: [{ type: "text", text: "hello" }] } },
    other: { message: { parts: [{ type: "text", text: "goodbye" }] } },
    list: "/sessions",
  },
  { name: "a fork", path: "/sessions/{session}/fork", body: {}, other: { title: "other" }, list: "/sessions" },
  {
    name: "another answer",
    path: "/sessions/{session}/regenerate",
    body: { turn: "{turn}" },
    other: { turn: "{turn}", confirmWrites: true },
    list: "/sessions",
  },
  {
    name: "an import",
    path: "/sessions/import?format=nanobot",
    body: `${JSON.stringify({ role: "user", content: "long ago" })}\n`,
    other: `${JSON.stringify({ role: "user", content: "other" })}\n`,
    list: "/sessions",
  },
  { name: "a persona", path: "/personas", body: PERSONA, other: { ...PERSONA, name: "Other" }, list: "/personas" },
  { name: "a copy of a persona", path: "/personas/mine/duplicate", body: {}, other: { name: "o" }, list: "/personas" },
  {
    name: "a skill",
    path: "/skills",
    body: { name: "tea", body: SKILL },
    other: { name: "cup", body: SKILL },
    list: "/skills",
  },
];

let place: KilledGateway;
let running: Running;
const before = { session: "", turn: "", job: "" };

const filled = (text: string): string =>
  text.replaceAll(/\{(session|turn|job)\}/g, (_all, name: keyof typeof before) => before[name]);

async function ask(path: string, body?: object | string, key?: string): Promise<Answer> {
  const given = body === undefined || typeof body === "string" ? body : filled(JSON.stringify(body));
  const response = await fetch(`${running.url}/api/v1${filled(path)}`, {
    method: given === undefined ? "GET" : "POST",
    headers: {
      authorization: `Bearer ${running.token}`,
      ...(given !== "" && { "content-type": path.includes("import") ? "text/plain" : "application/json" }),
      ...(key !== undefined && { "idempotency-key": key }),
    },
    ...(given !== undefined && given !== "" && { body: given }),
  });
  const text = await response.text();
  return {
    status: response.status,
    body: JSON.parse(text) as Answer["body"],
    isReplay: response.headers.get("idempotent-replay") === "true",
  };
}

const listed = async (path: string): Promise<readonly string[]> =>
  ((await ask(path)).body.items ?? []).map(({ id, name }) => String(id ?? name)).toSorted();

async function start(environment?: Readonly<Record<string, string>>): Promise<void> {
  const started = await place.start(undefined, environment === undefined ? {} : { environment });
  if (started === undefined) throw new Error("it ended at once");
  running = started;
}

/** Each run has a job of its own: schedules are held after so many kills, and what was begun stays in hand. */
async function newJob(): Promise<void> {
  before.job = String((await ask("/cron/jobs", JOB)).body["id"]);
}

async function kill(): Promise<void> {
  running.kill();
  await running.gone;
}

beforeAll(async () => {
  place = await killedGateway({ answer: () => says("hello") });
  await start();
  before.session = String((await ask("/sessions", {})).body["id"]);
  const said = await fetch(`${running.url}/api/v1${filled("/sessions/{session}/messages")}`, {
    method: "POST",
    headers: {
      authorization: `Bearer ${running.token}`,
      "content-type": "application/json",
      accept: "text/event-stream", // it ends with the turn
    },
    body: JSON.stringify({ parts: [{ type: "text", text: "the question" }] }),
  });
  await said.text();
  const { items = [] } = (await ask("/sessions/{session}/messages")).body;
  before.turn = String(items.find((item) => item["kind"] === "user")?.["turn"]);
  await ask("/personas", { ...PERSONA, id: "mine", name: "First" });
}, 120_000);
afterAll(async () => {
  await place?.close();
});

test.each(MAKERS)(
  "DF22 $name is made once over a kill: the same answer again, another request is refused",
  {
    timeout: 240_000,
  },
  async ({ name, path, body, other, list }) => {
    const own = name === "a persona" ? { ...PERSONA, id: "kept" } : body;
    const key = `kept ${name}`;
    await newJob();
    const first = await ask(path, own, key);
    expect(first).toMatchObject({ isReplay: false });
    expect(first.status, JSON.stringify(first)).toBeLessThan(203);
    const made = await listed(list);
    await kill();
    await start();
    expect(await ask(path, own, key)).toEqual({ ...first, isReplay: true });
    expect(await listed(list)).toEqual(made);
    expect(await ask(path, other, key)).toMatchObject({ status: 409, body: { code: "idempotency.conflict" } });
    expect(await listed(list)).toEqual(made);
  },
);

test.each(MAKERS)(
  "DF22 $name is made once when the process dies after it was made and before that is known",
  {
    timeout: 240_000,
  },
  async ({ name, path, body, list }) => {
    const own = name === "a persona" ? { ...PERSONA, id: "lost" } : name === "a skill" ? skillNamed("pot") : body;
    await newJob();
    const was = await listed(list);
    await kill();
    await start({ NODE_OPTIONS: `--import ${DIES}`, DIES_APPENDING: "/gateway/replays.jsonl" });
    const key = `lost ${name}`;
    await expect(ask(path, own, key)).rejects.toThrow("fetch failed");
    expect(await running.gone).toBe("SIGKILL");
    await start();
    const again = await ask(path, own, key);
    expect(again.status).toBeLessThan(203);
    expect(await ask(path, own, key)).toEqual({ ...again, isReplay: true });
    const made = (await listed(list)).filter((id) => !was.includes(id));
    expect(made).toHaveLength(1);
  },
);

test("DF22 of a conversation that was removed for good its answer goes too", async () => {
  const { body } = await ask("/sessions", { title: "a title that nobody should find" }, "removed");
  const file = (): string => readFileSync(join(place.home, "gateway/replays.jsonl"), "utf8");
  expect(file()).toContain("nobody should find");
  const removed = await fetch(`${running.url}/api/v1/sessions/${String(body["id"])}?purge=true`, {
    method: "DELETE",
    headers: { authorization: `Bearer ${running.token}` },
  });
  expect(removed.status).toBe(204);
  expect(file()).not.toContain("nobody should find");
});

function skillNamed(name: string): object {
  return { name, body: SKILL.replace("tea", name) };
}
