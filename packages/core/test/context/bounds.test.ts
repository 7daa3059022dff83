// What a person's files and skills may take of a prompt: each bound at n, and at one more.
import { expect, test } from "vitest";
import type { NoticeMessage, UserMessage } from "../../src/contract/message.ts";
import { messageParts } from "../../src/context/media.ts";
import { personaText } from "../../src/personas/personas.ts";
import { sha256 } from "../../src/machine/system/hash.ts";
import { fixture, never, noon, state } from "./fixtures.ts";
import { shownSkills } from "../../src/context/sections/skills.ts";
import { skillChanges, skillsBefore } from "../../src/context/skill-notices.ts";

test("workspace-file/MAX_FILE_CHARS: 32,768 characters of AGENTS.md are in the prompt, of one more it is said", async () => {
  const system = async (chars: number): Promise<string> =>
    (await fixture({}, { "AGENTS.md": "a".repeat(chars) }).context.freeze(state(), never)).system;
  expect(await system(32_768)).not.toContain("[cut at");
  expect(await system(32_769)).toContain(`${"a".repeat(32_768)}\n[cut at 32768 of 32769 characters.`);
});

test("R250 personas/MAX_CUSTOM_CHARS: 2,000 characters of an own personality speak", () => {
  const said = (chars: number): string | undefined =>
    personaText({ name: "margay", custom: "p".repeat(chars) }, undefined, "en");
  expect(said(2000)).toBe(`Personality:\n${"p".repeat(2000)}`);
  expect(said(2001)).toBe(said(2000));
});

test("media/MAX_IMAGE_BYTES: a picture of 5 MB is shown to the model, a byte more is a line of text", async () => {
  const png = Uint8Array.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a]);
  const kind = async (size: number): Promise<string | undefined> => {
    const bytes = new Uint8Array(size);
    bytes.set(png);
    const parts = await messageParts("", [{ path: "a.png" }], {
      order: "media-first",
      blobs: { put: async (put) => ({ sha256: sha256(put), bytes: put.length }) },
      readBytes: async (_path, most) => ({ size, bytes: bytes.subarray(0, most) }),
    });
    return parts[0]?.type;
  };
  expect([await kind(5 * 1024 * 1024), await kind(5 * 1024 * 1024 + 1)]).toEqual(["media", "text"]);
});

const message = (text: string): UserMessage => ({
  role: "user",
  id: "m1",
  at: noon,
  from: { id: "7", kind: "person" },
  parts: [{ type: "text", text }],
});

function skillNotices(text: string, chars: number): Promise<readonly NoticeMessage[]> {
  const load = (name: string) =>
    Promise.resolve({ name, directory: "/s", location: "/s/SKILL.md", body: "b".repeat(chars) });
  const source = { load } as unknown as Parameters<typeof skillsBefore>[2]; // the one method that is asked
  return skillsBefore(state(), [message(text)], source, noon, never);
}

test("skill-notices/MAX_NAMED, skill-notices/MAX_SKILL_CHARS: five skills a message, 16,000 characters each", async () => {
  expect(await skillNotices("$a $b $c $d $e", 10)).toHaveLength(5);
  expect(await skillNotices("$a $b $c $d $e $f", 10)).toHaveLength(5);
  expect((await skillNotices("$a", 16_000))[0]?.text).not.toContain("[cut at");
  expect((await skillNotices("$a", 16_001))[0]?.text).toContain(`${"b".repeat(16_000)}\n[cut at 16000 of 16001`);
});

test("skill-notices/MAX_CHANGED_CHARS: 4,000 characters of an active skill that changed are told", async () => {
  const told = async (chars: number): Promise<string> => {
    const body = "b".repeat(chars - '<active_skill name="a">\n\n</active_skill>'.length);
    const skill = { name: "a", description: "", location: "/s/SKILL.md", always: true, missing: [] };
    const source = { list: async () => [skill], read: async () => body } as unknown as Parameters<
      typeof shownSkills
    >[0]; // what is asked
    const frozen = state({ prefix: { hash: "h", system: "none", tools: [] } });
    return skillChanges(frozen, await shownSkills(source, never), noon, sha256)?.text ?? "";
  };
  expect(await told(4000)).not.toContain("[cut at");
  expect(await told(4001)).toContain("[cut at 4000 of 4001 characters.");
});
