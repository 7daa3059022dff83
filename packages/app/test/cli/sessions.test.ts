import { cpSync, existsSync, mkdirSync, readdirSync, readFileSync, renameSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { margay, type Margay } from "./harness.ts";

/** Two turns of practice mode in one session, one in another. */
async function used(): Promise<Margay> {
  const app = margay();
  await app.run(["agent", "-m", "hello"]);
  await app.run(["agent", "-m", "list files"]);
  await app.run(["agent", "-m", "hello", "--session", "cli:other"]);
  return app;
}

test("R180 sessions are listed newest first, shown and searched", async () => {
  const app = await used();
  const list = JSON.parse((await app.run(["sessions", "list", "--json"])).out) as {
    key: string;
    title: string;
    rows: number;
  }[];
  expect(list.map(({ key, title, rows }) => ({ key, title, rows }))).toEqual([
    { key: "cli:other", title: "hello", rows: 2 },
    { key: "cli:direct", title: "hello", rows: 6 },
  ]);
  const shown = (await app.run(["sessions", "show", "cli:direct"])).out;
  expect(shown).toContain("list files");
  expect(shown).toContain('→ list_dir {"path":"."}');
  const found = await app.run(["sessions", "search", "LIST FILES"]);
  expect(found.out.split("\n").filter((line) => line.startsWith("cli:direct")).length).toBe(1);
  expect((await app.run(["sessions", "search", "no such words"])).code).toBe(1);
});

test("a session is given a title and put into a folder, and listed by it, beside a gateway or without", async () => {
  const app = await used();
  const rows = async (...more: string[]): Promise<unknown> =>
    JSON.parse((await app.run(["sessions", "list", "--json", ...more])).out);
  const filed = await app.run(["sessions", "set", "cli:other", "--folder", "Trips", "--title", "Rome"]);
  expect(filed.out).toBe("cli:other is in the folder Trips.\n");
  expect(await rows("--folder", "Trips")).toMatchObject([{ key: "cli:other", title: "Rome", folder: "Trips" }]);
  expect((await app.run(["sessions", "list"])).out).toContain("Trips / Rome");
  expect(await rows("--folder", "Other")).toEqual([]);
  const json = await app.run(["sessions", "set", "cli:other", "--folder", "", "--json"]);
  expect(JSON.parse(json.out)).toEqual({ key: "cli:other", title: "Rome" });
  expect(await rows("--folder", "Trips")).toEqual([]);
  expect((await app.run(["sessions", "set", "cli:other"])).err).toContain("Give --title or --folder");
  expect((await app.run(["sessions", "set", "cli:Other", "--folder", "x"])).code).toBe(1);
  await app.run(["agent", "-m", "hello", "--session", "temporary:1"]);
  const temporary = await app.run(["sessions", "set", "temporary:1", "--folder", "x"]);
  expect(temporary.err).toContain("no name and no folder");
});

test("SS4 conversations belong to the state directory: a workspace that is moved or copied neither loses nor doubles one", async () => {
  const app = margay();
  const [first, second] = [join(app.directory, "one"), join(app.directory, "two")];
  mkdirSync(first);
  app.configure({ workspace: first });
  await app.run(["agent", "-m", "hello"]);
  const listed = async (): Promise<unknown> => JSON.parse((await app.run(["sessions", "list", "--json"])).out);
  const before = await listed();
  cpSync(first, second, { recursive: true });
  app.configure({ workspace: second });
  expect(await listed()).toEqual(before);
  renameSync(first, join(app.directory, "three"));
  app.configure({ workspace: join(app.directory, "three") });
  expect(await listed()).toEqual(before);
  await app.run(["agent", "-m", "hello again"]);
  expect(await listed()).toMatchObject([{ key: "cli:direct", rows: 4 }]);
});

test("SS7 keys are compared exactly; a near one is proposed", async () => {
  const app = await used();
  const { code, err } = await app.run(["sessions", "show", "cli:Direct"]);
  expect(code).toBe(1);
  expect(err).toBe(
    "There is no session cli:Direct. Did you mean cli:direct? List them with `margay sessions list`. [session.missing]\n",
  );
});

test("R174 R180 an export in the seeds' format can be imported again with the same rows", async () => {
  const app = await used();
  const exported = (await app.run(["sessions", "export", "cli:direct", "--format", "seed"])).out;
  const rows = exported.trim().split("\n").slice(1);
  expect(rows.map((row) => (JSON.parse(row) as { role: string }).role)).toEqual([
    "user",
    "assistant",
    "user",
    "assistant",
    "tool",
    "assistant",
  ]);
  const file = join(app.directory, "old.jsonl");
  writeFileSync(file, exported);
  expect((await app.run(["sessions", "import", file, "--key", "cli:copy"])).out).toBe(
    "6 rows were imported into cli:copy.\n",
  );
  const again = (await app.run(["sessions", "export", "cli:copy"])).out.trim().split("\n").slice(1);
  expect(again).toEqual(rows);
  const twice = await app.run(["sessions", "import", file, "--key", "cli:copy"]);
  expect(twice.code).toBe(1);
  expect(twice.err).toContain("[session.not-empty]");
});

test("what a fork copied was spent once: by the original", async () => {
  const app = await used();
  const total = async (): Promise<object> =>
    (JSON.parse((await app.run(["usage", "--json"])).out) as { total: object }).total;
  const today = async (): Promise<object> =>
    (JSON.parse((await app.run(["status", "--json"])).out) as { today: object }).today;
  const before = { total: await total(), today: await today() };
  expect((await app.run(["sessions", "fork", "cli:direct", "cli:fork"])).code).toBe(0);
  expect({ total: await total(), today: await today() }).toEqual(before);
  expect(before.total).toMatchObject(before.today);
});

test("R180 a fork is a session of its own; delete removes journal and transcript and asks first", async () => {
  const app = await used();
  expect((await app.run(["sessions", "fork", "cli:direct", "cli:fork"])).code).toBe(0);
  expect((await app.run(["sessions", "show", "cli:fork"])).out).toContain("list files");
  expect((await app.run(["sessions", "fork", "cli:direct", "cli:fork"])).err).toContain("[session.exists]");

  expect((await app.run(["sessions", "delete", "cli:fork"])).code).toBe(1);
  expect((await app.run(["sessions", "delete", "cli:fork"], { person: () => Promise.resolve("n") })).code).toBe(1);
  expect((await app.run(["sessions", "delete", "cli:fork", "--yes"])).out).toBe("cli:fork is removed.\n");
  expect(readdirSync(join(app.home, "sessions")).filter((name) => name.startsWith("cli-fork"))).toEqual([]);
});

test("CF6 explain shows each step with its cause, and the replay agrees with the journal", async () => {
  const app = await used();
  const all = (await app.run(["explain", "cli:direct"])).out;
  expect(all).toContain("model.requested prompt ✓ ← ask the model");
  expect(all).toContain("list_dir ok in");
  // One line a commit, its facts below it; what the user did has no cause of the loop behind it.
  expect(all).toMatch(/^ {4}1 \d{4}-\d\d-\d\dT[\d:.]+Z · [\w.+ ]+\n/);
  expect(all).toMatch(/ ✓ tool\.finished(?: \+ [\w.]+)*\n {32}list_dir ok in \d+ ms\n/);
  const second = (await app.run(["explain", "cli:direct", "--turn", "2", "--json"])).lines;
  expect(new Set(second.map((line) => line["turn"]))).toEqual(new Set([2]));
  const replay = await app.run(["explain", "cli:direct", "--replay"]);
  expect(replay.code).toBe(0);
  expect(replay.out).toMatch(/^All \d+ commits follow from the state before them\.\n$/);
});

test("usage counts requests and tokens by day, model, session and source", async () => {
  const app = await used();
  const total = async (by: string): Promise<unknown> =>
    JSON.parse((await app.run(["usage", "--by", by, "--json"])).out);
  expect(await total("session")).toMatchObject({
    groups: [
      { name: "cli:direct", requests: 3 },
      { name: "cli:other", requests: 1 },
    ],
    total: { requests: 4 },
  });
  expect(await total("model")).toMatchObject({ groups: [{ name: "practice/sentences", requests: 4 }] });
  expect(await total("source")).toMatchObject({ groups: [{ name: "cli", requests: 4 }] });
  expect((await margay().run(["usage"])).out).toBe("Nothing was used yet.\n");
});

test("R407 the audit log names each call; a changed line breaks its chain", async () => {
  const app = await used();
  expect((await app.run(["audit", "list"])).out).toContain("cli:direct list_dir allow");
  expect((await app.run(["audit", "verify"])).out).toMatch(/^The chain of \d+ records is whole\.\n$/);
  const folder = join(app.home, "audit");
  const name = readdirSync(folder).find((file) => /^\d{4}-/.test(file)) ?? "";
  const path = join(folder, name);
  writeFileSync(path, readFileSync(path, "utf8").replace("list_dir", "list_dix"));
  const broken = await app.run(["audit", "verify"]);
  expect(broken.code).toBe(1);
  expect(broken.out).toContain("broken at record");
});

test("status reads a state directory without making one", async () => {
  const app = margay();
  const { code, out } = await app.run(["status"]);
  expect(code).toBe(0);
  expect(out).toContain("not running");
  expect(out).toContain("practice mode");
  expect(existsSync(join(app.home, "lock"))).toBe(false);
});
