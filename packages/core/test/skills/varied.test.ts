import { join } from "node:path";
import { expect, test } from "vitest";
import { reportSkill } from "../../src/skills/report.ts";
import { never, skillBench, skillText } from "./support.ts";

/** Forms that public collections use; the second word says whether they load, the third whether they are valid. */
const FORMS: readonly (readonly [name: string, loads: boolean, valid: boolean, text: string])[] = [
  ["plain", true, true, skillText("name: plain\ndescription: Plain")],
  ["quoted-double", true, true, skillText('name: "quoted-double"\ndescription: "Use when: asked"')],
  ["quoted-single", true, true, skillText("name: quoted-single\ndescription: 'It''s quoted'")],
  ["folded", true, true, skillText("name: folded\ndescription: >\n  Two lines\n  folded")],
  ["folded-strip", true, true, skillText("name: folded-strip\ndescription: >-\n  Two lines\n  folded")],
  ["literal", true, true, skillText("name: literal\ndescription: |\n  Two lines\n  kept")],
  ["continued", true, true, skillText("name: continued\ndescription: a plain text\n  over two lines")],
  ["crlf", true, true, skillText("name: crlf\ndescription: Windows").replaceAll("\n", "\r\n")],
  ["bom", true, true, `\uFEFF${skillText("name: bom\ndescription: Mark")}`],
  ["spaces", true, true, `---  \nname: spaces\ndescription: S\n---\t\nBody\n`],
  ["no-body", true, true, "---\nname: no-body\ndescription: N\n---"],
  ["rules", true, true, skillText("name: rules\ndescription: R", "A\n\n---\n\nB\n")],
  ["license", true, true, skillText("name: license\ndescription: L\nlicense: Complete terms in LICENSE.txt")],
  ["tools", true, true, skillText("name: tools\ndescription: T\nallowed-tools: Bash(git:*) Read")],
  ["compat", true, true, skillText("name: compat\ndescription: C\ncompatibility: Requires git")],
  ["meta", true, true, skillText('name: meta\ndescription: M\nmetadata:\n  author: someone\n  version: "1.0"')],
  ["chinese", true, true, skillText("name: chinese\ndescription: 查询天气。用于用户询问天气时。", "# 天气\n")],
  ["comment", true, true, skillText("# made by hand\nname: comment\ndescription: C # why")],
  ["meta-number", true, false, skillText("name: meta-number\ndescription: M\nmetadata:\n  version: 1.0")],
  ["tools-list", true, false, skillText("name: tools-list\ndescription: T\nallowed-tools:\n  - Read\n  - Grep")],
  ["colon", true, false, skillText("name: colon\ndescription: Use when: the user asks")],
  ["colon-list", true, false, skillText("name: colon-list\ndescription: Steps: one: two\nlicense: MIT: yes")],
  ["asterisk", false, false, skillText("name: asterisk\ndescription: *bold* claims")],
  ["extra", true, false, skillText("name: extra\ndescription: E\nversion: 1.2.0\ntags: [a, b]")],
  [
    "openclaw",
    true,
    false,
    skillText(
      'name: openclaw\ndescription: O\nhomepage: https://x.example\nmetadata: {"openclaw":{"emoji":"🌤️","requires":{"bins":["curl"]}}}',
    ),
  ],
  ["folder-name", true, false, skillText("name: Folder Name\ndescription: F")],
  ["nameless", true, false, skillText("description: Without a name")],
  ["tab", false, false, skillText("name: tab\ndescription: T\nmetadata:\n\tkey: value")],
  ["empty", false, false, ""],
  ["only-marks", false, false, "---\n---\n"],
  ["unclosed", false, false, "---\nname: unclosed\ndescription: U\n"],
  ["twice", false, false, skillText("name: twice\ndescription: one\ndescription: two")],
  ["list", false, false, skillText("- name: list\n- description: L")],
  ["toml", false, false, '+++\nname = "toml"\n+++\n'],
];

test("R202 R209 each of 34 forms of SKILL.md loads, or is left out with a reason, and none stops another", async () => {
  const bench = skillBench();
  for (const [name, , , text] of FORMS) bench.put(name, text, "bundled");
  const all = await bench.open().all(never);
  expect(all).toHaveLength(FORMS.length);
  for (const [name, loads, valid] of FORMS) {
    const skill = all.find((one) => one.name === name);
    expect([name, skill?.status !== "broken", (skill?.reason ?? "") === ""]).toEqual([name, loads, loads]);
    const report = await reportSkill(join(bench.bundled, name), name, never);
    expect([name, report.problems.length === 0 && report.reason === undefined]).toEqual([name, valid]);
    expect([name, skill?.warnings.length === 0]).toEqual([name, valid || !loads]);
  }
});
