// What a skill may be that somebody else made: each bound at n, and at one more.
import { mkdirSync, truncateSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { gzipSync } from "node:zlib";
import { expect, test } from "vitest";
import { parseSkillText } from "../../src/skills/frontmatter.ts";
import { readHead } from "../../src/skills/head.ts";
import { reportSkill } from "../../src/skills/report.ts";
import { requirementsOf } from "../../src/skills/requirements.ts";
import { stageSkills } from "../../src/skills/stage.ts";
import { plainPath } from "../../src/skills/archive.ts";
import { tar } from "./tar-maker.ts";
import { never, skillBench, skillText, type SkillBench } from "./support.ts";

const GOOD = skillText("name: good\ndescription: Good");
const MB = 1024 * 1024;

/** `ok`, or why the skill at `ws/skills/good` is refused. */
async function reported(bench: SkillBench): Promise<string> {
  return reportSkill(join(bench.workspace, "skills/good"), "good", never).then(
    () => "ok",
    (error: unknown) => String(error),
  );
}
async function staged(bench: SkillBench, source: string): Promise<string> {
  const options = { source, currentDirectory: bench.base, staging: join(bench.base, "staging"), environment: {} };
  return stageSkills(options, never).then(
    (one) => {
      one[Symbol.dispose]();
      return "ok";
    },
    (error: unknown) => String(error),
  );
}

test("skill-files/MAX_FILES: a skill of 1,000 files is one, of 1,001 it is none", async () => {
  const bench = skillBench();
  bench.put("good", GOOD);
  for (let n = 1; n < 1000; n++) bench.file(`ws/skills/good/f${n}`, "");
  expect(await reported(bench)).toBe("ok");
  bench.file("ws/skills/good/more", "");
  expect(await reported(bench)).toContain("over 1000 files");
});

test("skill-files/MAX_BYTES: a skill of 32 MB is one, a byte more is refused, in one file or in many", async () => {
  const bench = skillBench();
  bench.put("good", GOOD);
  const [first, second] = [bench.file("ws/skills/good/a", ""), bench.file("ws/skills/good/b", "")];
  truncateSync(first, 16 * MB);
  truncateSync(second, 16 * MB - GOOD.length);
  expect(await reported(bench)).toBe("ok");
  truncateSync(second, 16 * MB - GOOD.length + 1);
  expect(await reported(bench)).toContain("over 32 MB");
});

test("skill-files/MAX_DEPTH: folders twelve deep are read, one more is refused", async () => {
  const bench = skillBench();
  bench.put("good", GOOD);
  const deep = (levels: number): string => `ws/skills/good/${"d/".repeat(levels)}f`;
  bench.file(deep(12), "");
  expect(await reported(bench)).toBe("ok");
  bench.file(deep(13), "");
  expect(await reported(bench)).toContain("over 12 deep");
});

test("skill-files/MAX_TEXT_BYTES: a SKILL.md of 1 MB is read, a byte more is not", async () => {
  const bench = skillBench();
  const sized = (bytes: number): string => GOOD + "x".repeat(bytes - GOOD.length);
  bench.put("good", sized(MB));
  expect(await reported(bench)).toBe("ok");
  bench.put("good", sized(MB + 1));
  expect(await reported(bench)).toContain("over 1 MB");
});

test("stage/MAX_PACKED_BYTES, stage/MAX_UNPACKED_BYTES, stage/MAX_ARCHIVE_FILES: 64 MB packed, 128 MB and 10,000 files unpacked, and not one more", async () => {
  const bench = skillBench();
  const archive = join(bench.base, "a.tar");
  writeFileSync(archive, tar([{ name: "SKILL.md", content: GOOD }]));
  truncateSync(archive, 64 * MB); // zeros at the end of a tar are its end
  expect(await staged(bench, "a.tar")).toBe("ok");
  truncateSync(archive, 64 * MB + 1);
  expect(await staged(bench, "a.tar")).toContain("over 64 MB");

  const packed = (bytes: number): void => {
    const one = tar([{ name: "SKILL.md", content: GOOD }]);
    writeFileSync(
      join(bench.base, "a.tgz"),
      gzipSync(Buffer.concat([one, Buffer.alloc(bytes - one.length)]), { level: 1 }),
    );
  };
  packed(128 * MB);
  expect(await staged(bench, "a.tgz")).toBe("ok");
  packed(128 * MB + 1);
  expect(await staged(bench, "a.tgz")).toContain("cannot be unpacked");

  mkdirSync(join(bench.base, "many"));
  for (let n = 0; n < 10_000; n++) writeFileSync(join(bench.base, "many", `f${n}`), "");
  expect(await staged(bench, "many")).toContain("SKILL.md"); // of 10,000 files none is one
  writeFileSync(join(bench.base, "many/SKILL.md"), GOOD);
  expect(await staged(bench, "many")).toContain("over 10000 files");
});

test("archive/MAX_PATH_CHARS: a path of 500 characters is plain, a longer one is refused", () => {
  const path = (chars: number): string => `${"d/".repeat(200)}${"f".repeat(chars - 400)}`;
  expect(plainPath(path(500))).toHaveLength(500);
  expect(() => plainPath(path(501))).toThrow("is no plain path");
});

test("frontmatter/MAX_YAML_CHARS: a head of 65,536 characters is read, one more is not", async () => {
  const sized = (chars: number): string => {
    const head = "name: good\ndescription: ";
    return skillText(`${head}${"d".repeat(chars - head.length)}`);
  };
  const read = async (chars: number): Promise<boolean> => (await parseSkillText(sized(chars))).ok;
  expect([await read(65_536), await read(65_537)]).toEqual([true, false]);
});

test("head/MAX_NAME_CHARS, head/MAX_DESCRIPTION_CHARS, head/MAX_COMPATIBILITY_CHARS: what is longer is told, and cut", () => {
  const problems = (change: object): readonly string[] =>
    readHead({ name: "n", description: "d", ...change } as Parameters<typeof readHead>[0], "n").problems;
  expect(problems({ name: "n".repeat(64) })).toEqual([expect.stringContaining("not the folder's")]);
  expect(problems({ name: "n".repeat(65) })[0]).toContain("at most 64");
  expect(problems({ description: "d".repeat(1024) })).toEqual([]);
  expect(problems({ description: "d".repeat(1025) })[0]).toContain("the first 1024");
  expect(problems({ compatibility: "c".repeat(500) })).toEqual([]);
  expect(problems({ compatibility: "c".repeat(501) })[0]).toContain("over 500");
  const read = readHead({ name: "n", description: "d".repeat(1025), compatibility: "c".repeat(501) }, "n");
  expect(read.ok && [read.head.description.length, read.head.compatibility?.length]).toEqual([1024, 500]);
});

test("requirements/MAX_NAMES, requirements/MAX_NAME_CHARS: fifty programs of 128 characters are required, what is more or longer is not", () => {
  const bins = (names: readonly string[]): readonly string[] => requirementsOf({ requires: { bins: names } }).bins;
  expect(bins(Array.from({ length: 51 }, (_, n) => `b${n}`))).toHaveLength(50);
  expect(bins(["b".repeat(128), "b".repeat(129)])).toEqual(["b".repeat(128)]);
});

test("report/MAX_HOSTS: fifty hosts of a skill are named", async () => {
  const bench = skillBench();
  const hosts = (count: number): string => Array.from({ length: count }, (_, n) => `https://h${n}.example/`).join("\n");
  bench.put("good", `${GOOD}${hosts(51)}`);
  expect((await reportSkill(join(bench.workspace, "skills/good"), "good", never)).hosts).toHaveLength(50);
});
