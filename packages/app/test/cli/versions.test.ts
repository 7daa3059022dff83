// A conversation that a newer margay went on with: every command says so, and none of them suggests to throw it away.
import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { crc32 } from "node:zlib";
import { expect, test } from "vitest";
import { margay } from "./harness.ts";

test("R428 list, show, send and doctor alike name the margay to install; the other conversations go on", async () => {
  const app = margay();
  await app.run(["agent", "-m", "hello", "--session", "cli:later"]);
  await app.run(["agent", "-m", "hello", "--session", "cli:now"]);
  const folder = join(app.home, "sessions");
  const path = join(folder, readdirSync(folder).find((name) => /^cli-later.*\.journal$/.test(name)) ?? "");
  const text = readFileSync(path, "utf8");
  const records = [{ type: "journal.raised", version: 99, by: "7.8.9" }, { type: "dream.dreamt" }];
  const body = JSON.stringify({ seq: text.split("\n").length, at: 1, records }).slice(1);
  writeFileSync(path, `${text}{"crc":"${crc32(body).toString(16).padStart(8, "0")}",${body}\n`);
  for (const words of [
    ["sessions", "list"],
    ["sessions", "show", "cli:later"],
    ["explain", "cli:later"],
    ["agent", "-m", "hello", "--session", "cli:later"],
    ["doctor"],
  ]) {
    const { code, out, err } = await app.run(words);
    expect({ words, failed: code !== 0 }).toEqual({ words, failed: true });
    expect(out + err).toContain("Install margay 7.8.9 or newer. [journal.version]");
    expect(out + err).not.toContain(".damaged");
  }
  expect(await app.run(["sessions", "show", "cli:now"])).toMatchObject({ code: 0 });
  expect(await app.run(["agent", "-m", "hello", "--session", "cli:now"])).toMatchObject({ code: 0 });
});
