import { expect, test } from "vitest";
import type { Section } from "../../src/contract/services.ts";
import type { SessionId, CallId } from "../../src/contract/base.ts";
import { backgroundSection } from "../../src/context/sections/background.ts";
import { identitySection } from "../../src/context/sections/identity.ts";
import { memoryGuidanceSection } from "../../src/context/sections/memory-guidance.ts";
import { safetySection } from "../../src/context/sections/safety.ts";
import { activeSkillsSection, skillSummarySection } from "../../src/context/sections/skills.ts";
import type { SectionOptions, SkillSource } from "../../src/context/sections/section-options.ts";
import { toolPrinciplesSection } from "../../src/context/sections/tool-principles.ts";
import { watchedFiles, workspaceFileSection } from "../../src/context/sections/workspace-file.ts";
import { never, state, tool } from "./fixtures.ts";

const options: SectionOptions = {
  workspace: "/home/ada/margay",
  language: "en",
  persona: { name: "margay", userName: "Ada", userAddress: "boss", preset: "grumpy" },
  environment: { os: "Linux", arch: "x64", node: "24.21.0" },
  tools: () => [tool("recall"), tool("remember")],
  readFile: (path) =>
    Promise.resolve(path === "memory/MEMORY.md" ? "# Long-term memory\n\nAda likes pnpm.\n" : undefined),
};
const skills: SkillSource = {
  list: () =>
    Promise.resolve([
      {
        name: "weather",
        description: "Forecasts for <any> place & time",
        location: "/skills/weather/SKILL.md",
        always: false,
        missing: [],
      },
      {
        name: "github",
        description: "Issues and pull requests",
        location: "/skills/github/SKILL.md",
        always: false,
        missing: ["gh", "GITHUB_TOKEN"],
      },
      {
        name: "memory",
        description: "How to keep memory",
        location: "/skills/memory/SKILL.md",
        always: true,
        missing: [],
      },
    ]),
  read: (name) => Promise.resolve(`Body of ${name}.\n`),
};
const child = state({ parent: { session: "parent-00000000" as SessionId, call: "call-1" as CallId } });

const golden: readonly (readonly [string, Section])[] = [
  ["R128 R249 identity", identitySection(options)],
  ["R129 tool-principles", toolPrinciplesSection()],
  ["R130 memory-guidance", memoryGuidanceSection(options)],
  ["R130 memory-guidance-without-tools", memoryGuidanceSection({ tools: () => [] })],
  ["R131 memory-file", workspaceFileSection(watchedFiles(options).at(-1)!)],
  ["R132 safety", safetySection()],
  ["R133 active-skills", activeSkillsSection(skills)],
  ["R134 skill-summary", skillSummarySection(skills)],
];
for (const [name, section] of golden)
  test(`R146 CX21 ${name} reads as its golden text`, async () => {
    const text = await section.render(state(), never);
    await expect(`${text}\n`).toMatchFileSnapshot(`golden/${name.split(" ").at(-1)}.txt`);
  });

test("R146 R195 background reads as its golden text, in subagents only", async () => {
  await expect(`${await backgroundSection().render(child, never)}\n`).toMatchFileSnapshot("golden/background.txt");
  expect(await backgroundSection().render(state(), never)).toBeUndefined();
});

test("R133 R206 an always-on skill with an unmet requirement is listed as unavailable, not injected", async () => {
  const broken: SkillSource = {
    list: () =>
      Promise.resolve([{ name: "tmux", description: "Terminals", location: "/s", always: true, missing: ["tmux"] }]),
    read: skills.read,
  };
  expect(await activeSkillsSection(broken).render(state(), never)).toBeUndefined();
  expect(await skillSummarySection(broken).render(state(), never)).toContain(
    "\n- tmux (unavailable, needs tmux): Terminals\n",
  );
});

test("R131 a long MEMORY.md is cut at memory.maxChars with a note how to recall the rest", async () => {
  const [memory] = watchedFiles({
    ...options,
    memory: { inject: true, maxChars: 500 },
    readFile: () => Promise.resolve("x".repeat(700)),
  }).filter((file) => file.notice === "memory");
  const text = (await memory!.current(never))!.section;
  expect(text).toContain(`${"x".repeat(500)}\n[cut at 500 of 700 characters. Use recall for the rest.]`);
});
