// The journals of every release in one home: commands say of them what that release said.
import { copyFileSync, mkdirSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { margay } from "../cli/harness.ts";
import { explainedOf, MEANING, shownOf, type Meaning } from "./meaning.ts";
import { FIXTURES, RELEASES } from "./releases.ts";

test("R428 SO26 every release has journals", () => {
  expect(readdirSync(FIXTURES)).toEqual(expect.arrayContaining(RELEASES.map(({ name }) => name)));
});

test.each(RELEASES)(
  "R428 SO26 list, show, explain and doctor read the journals of $name as it did, and change nothing",
  { timeout: 120_000 },
  async ({ name }) => {
    const app = margay();
    app.configure({});
    const sessions = join(app.home, "sessions");
    mkdirSync(sessions);
    const meaning = JSON.parse(readFileSync(join(FIXTURES, name, MEANING), "utf8")) as Record<string, Meaning>; // written by release-fixture
    const files = Object.keys(meaning).map((id) => `${id}.journal`);
    for (const file of files) copyFileSync(join(FIXTURES, name, file), join(sessions, file));
    const listed = JSON.parse((await app.run(["sessions", "list", "--json"])).out) as readonly object[];
    const wanted = Object.entries(meaning).map(([id, { key }]) => ({ id, key }));
    expect(listed).toHaveLength(wanted.length);
    expect(listed).toEqual(expect.arrayContaining(wanted.map((each) => expect.objectContaining(each))));
    for (const { key, explained, shown } of Object.values(meaning)) {
      const told = explainedOf((await app.run(["explain", key, "--json"])).out);
      const rows = shownOf((await app.run(["sessions", "show", key, "--json"])).out);
      expect({ key, explained: told, shown: rows }).toEqual({ key, explained, shown });
    }
    expect((await app.run(["doctor"])).out).toContain(`${wanted.length} session(s) can be read`);
    for (const file of files)
      expect(readFileSync(join(sessions, file))).toEqual(readFileSync(join(FIXTURES, name, file)));
  },
);
