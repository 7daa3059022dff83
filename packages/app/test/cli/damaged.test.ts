// One damaged journal is named with its remedy; every other session is read as if it were not there.
import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { margay, type Margay } from "./harness.ts";

/** Two sessions of one turn each; a bit of `line` of the first one's journal is flipped. */
async function damaged(line: number): Promise<Margay & { readonly path: string; readonly id: string }> {
  const app = margay();
  await app.run(["agent", "-m", "hello", "--session", "cli:bad"]);
  await app.run(["agent", "-m", "hello", "--session", "cli:good"]);
  const folder = join(app.home, "sessions");
  const name = readdirSync(folder).find((each) => /^cli-bad.*\.journal$/.test(each)) ?? "";
  const path = join(folder, name);
  const lines = readFileSync(path, "utf8").split("\n");
  lines[line - 1] = (lines[line - 1] ?? "").replace('"at":', '"At":');
  writeFileSync(path, lines.join("\n"));
  return { ...app, path, id: name.replace(".journal", "") };
}

const faultText = (path: string, line: number): string =>
  `${path}, line ${line} cannot be read. Restore the file from a backup, or move it away to start anew without it. [journal.damaged]\n`;

test("sessions list names the damaged one, its fault and the remedy, and lists the others", async () => {
  const app = await damaged(2);
  const { code, out, err } = await app.run(["sessions", "list"]);
  expect(code).toBe(1);
  expect(out).toMatch(/^cli:good .*2 rows +hello\ncli:bad +cannot be read\n$/);
  expect(err).toBe(`cli:bad: ${faultText(app.path, 2)}`);
  const json = await app.run(["sessions", "list", "--json"]);
  expect(json.code).toBe(1);
  expect(JSON.parse(json.out)).toMatchObject([
    { key: "cli:good", rows: 2 },
    { key: "cli:bad", id: app.id, fault: { code: "journal.damaged" } },
  ]);
  const chinese = await app.run(["sessions", "list", "--lang", "zh-CN"]);
  expect(chinese.err).toContain("请从备份恢复该文件");
});

test("a session whose first line is damaged goes by the name of its file", async () => {
  const app = await damaged(1);
  const { code, out, err } = await app.run(["sessions", "list"]);
  expect(code).toBe(1);
  expect(out).toContain(`${app.id}  cannot be read`);
  expect(err).toBe(`${app.id}: ${faultText(app.path, 1)}`);
});

test("what is asked about the others is answered, with exit code 0 where the damaged one does not matter", async () => {
  const app = await damaged(2);
  for (const words of [
    ["sessions", "show", "cli:good"],
    ["sessions", "export", "cli:good"],
    ["explain", "cli:good"],
    ["sessions", "fork", "cli:good", "cli:copy"],
    ["memory", "search", "hello"],
    ["approvals", "list"],
  ]) {
    const { code, err } = await app.run(words);
    expect({ words, code, err }).toEqual({ words, code: 0, err: "" });
  }
});

test("what is asked about all of them counts the others and says what is missing", async () => {
  const app = await damaged(2);
  const status = await app.run(["status"]);
  expect(status.out).toContain("sessions: 2");
  expect(status.out).toMatch(/today: [1-9]\d* tokens in/);
  const usage = await app.run(["usage", "--by", "session"]);
  expect(usage.out).toContain("cli:good");
  const search = await app.run(["sessions", "search", "hello"]);
  expect(search.out).toContain("cli:good");
  for (const { code, err } of [status, usage, search])
    expect({ code, err }).toEqual({ code: 1, err: `cli:bad: ${faultText(app.path, 2)}` });
  for (const words of [["status"], ["usage"]]) {
    const json = await app.run([...words, "--json"]);
    expect(json.code).toBe(1);
    expect(JSON.parse(json.out)).toMatchObject({
      damaged: [{ key: "cli:bad", id: app.id, fault: { code: "journal.damaged" } }],
    });
  }
});

test("asked for itself, the damaged one fails with its fault; it can be removed", async () => {
  const app = await damaged(2);
  for (const words of [
    ["sessions", "show", "cli:bad"],
    ["sessions", "export", "cli:bad"],
    ["explain", "cli:bad"],
    ["sessions", "fork", "cli:bad", "cli:copy"],
  ]) {
    const { code, err } = await app.run(words);
    expect({ words, code, err }).toEqual({ words, code: 1, err: faultText(app.path, 2) });
  }
  expect((await app.run(["sessions", "delete", "cli:bad", "--yes"])).out).toBe("cli:bad is removed.\n");
  expect((await app.run(["sessions", "list"])).code).toBe(0);
});

test("CF4 doctor names a damaged journal and the command that moves it away", async () => {
  const app = await damaged(2);
  const { code, out } = await app.run(["doctor"]);
  expect(code).toBe(1);
  expect(out).toContain(`✗ problem: session cli:bad: ${faultText(app.path, 2)}`);
  expect(out).toContain(`repair: mv '${app.path}' '${app.path}.damaged'`);
});
