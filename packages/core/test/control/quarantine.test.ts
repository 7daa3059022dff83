// `/quarantine` in a chat: what was kept aside is shown, and taken back or removed as this chat was shown it.
import fs from "node:fs";
import { dirname, join } from "node:path";
import { expect, test } from "vitest";
import { openQuarantine } from "../../src/internal.ts";
import type { Quarantine } from "../../src/internal.ts";
import { openQuarantineStore } from "../../src/machine/sandbox/quarantine/store.ts";
import { DEFAULT_SETTINGS } from "../../src/loop/settings.ts";
import type { startAgent } from "../support/agent.ts";
import { GUEST, scene, type Scene } from "../support/chat-scene.ts";
import { temporaryFolder } from "../support/folder.ts";

interface Place extends Pick<Scene, "says"> {
  readonly workspace: string;
  /** Who took back or removed what. */
  readonly by: readonly string[];
  /** Writes a file, and keeps it aside. @returns its id. */
  keeps(path: string, text: string, why?: string): string;
  /** Where the content of one lies. */
  contentOf(id: string): string;
}

async function place(t: Parameters<typeof startAgent>[0], language: "en" | "zh-CN" = "en"): Promise<Place> {
  const folder = await temporaryFolder();
  t.onTestFinished(async () => folder[Symbol.asyncDispose]());
  const [workspace, directory] = [folder.at("files"), folder.at("quarantine")];
  fs.mkdirSync(workspace);
  const store = openQuarantineStore(directory, Date.now);
  const kept = openQuarantine(directory);
  const by: string[] = [];
  const quarantine: Quarantine = {
    list: kept.list,
    takeBack: (id, sha256, who) => {
      by.push(`${who} ${id}`);
      return kept.takeBack(id, sha256, who);
    },
    remove: (id, who) => {
      by.push(`${who} -${id}`);
      return kept.remove(id, who);
    },
  };
  const { says } = await scene(t, { quarantine, settings: { ...DEFAULT_SETTINGS, language } });
  return {
    says,
    workspace,
    by,
    keeps: (path, text, why = path) => {
      fs.mkdirSync(dirname(join(workspace, path)), { recursive: true });
      fs.writeFileSync(join(workspace, path), text);
      const item = store.keep(workspace, { path: join(workspace, path), why });
      if (item === undefined || !("id" in item)) throw new Error(`${path} was not kept`);
      return item.id;
    },
    contentOf: (id) => join(directory, id, "content"),
  };
}

test("SC33 /quarantine lists, shows what is in one, and puts back what it showed", async (t) => {
  const { says, keeps, by, workspace } = await place(t);
  expect(await says("/quarantine")).toBe("Nothing is kept aside.");
  const id = keeps("lib/.envrc", "export A=1\n", ".envrc");
  expect(await says("/quarantine")).toBe(
    [
      "Left behind by commands and kept aside, because each would run by itself:",
      `- \`${id}\` \`lib/.envrc\` (.envrc), 11 bytes`,
      "`/quarantine ID` shows what is in one, `/quarantine restore ID` puts it back, `/quarantine delete ID` removes it. After 30 days each is removed.",
    ].join("\n"),
  );
  expect(await says(`/quarantine ${id}`)).toBe(
    [
      "`lib/.envrc` (11 bytes), kept aside for: .envrc",
      "```\nexport A=1\n```",
      `\`/quarantine restore ${id}\` puts exactly this back, \`/quarantine delete ${id}\` removes it.`,
    ].join("\n"),
  );
  expect(await says(`/quarantine restore ${id}`)).toBe("`lib/.envrc` is back at its place, and yours.");
  expect(fs.readFileSync(join(workspace, "lib/.envrc"), "utf8")).toBe("export A=1\n");
  expect(by).toEqual([`owner ${id}`]);
  expect(await says(`/quarantine restore ${id}`)).toBe(
    `Nothing is kept aside as \`${id}\`. It may have been taken back or removed; /quarantine lists what there is.`,
  );
});

test("SC33 what this chat was not shown is shown first: nothing is put back or removed unseen", async (t) => {
  const { says, keeps, by } = await place(t);
  const [one, two] = [keeps(".envrc", "one\n"), keeps(".vimrc", "two\n")];
  await says("/quarantine"); // names are no content
  expect(await says(`/quarantine restore ${one}`)).toContain("```\none\n```\n`/quarantine restore");
  expect(await says(`/quarantine delete ${two}`)).toContain("```\ntwo\n```\n`/quarantine restore");
  expect(await says(`/quarantine delete ${two}`, undefined, "2")).toContain("```\ntwo\n```"); // another chat
  expect(by).toEqual([]);
  expect(await says(`/quarantine delete ${two}`)).toBe("`.vimrc` is removed.");
  expect(await says(`/quarantine restore ${one}`)).toBe("`.envrc` is back at its place, and yours.");
  expect(by).toEqual([`owner -${two}`, `owner ${one}`]);
});

test("SC33 what changed since it was shown is neither put back nor removed, but shown anew", async (t) => {
  const { says, keeps, by, contentOf } = await place(t);
  const id = keeps(".envrc", "one\n");
  await says(`/quarantine ${id}`);
  fs.writeFileSync(contentOf(id), "other\n");
  const anew = "Nothing was done: it is not what was shown here. This is what it is now:\n`.envrc` (6 bytes)";
  expect(await says(`/quarantine restore ${id}`)).toContain(anew);
  fs.writeFileSync(contentOf(id), "and another\n");
  expect(await says(`/quarantine delete ${id}`)).toContain("```\nand another\n```");
  expect(by).toEqual([]);
});

test("SC33 a place that is taken by now is left, and what to do is said", async (t) => {
  const { says, keeps, workspace } = await place(t);
  const id = keeps(".envrc", "one\n");
  await says(`/quarantine ${id}`);
  fs.writeFileSync(join(workspace, ".envrc"), "mine\n");
  expect(await says(`/quarantine restore ${id}`)).toBe(
    `Something else is at \`.envrc\` by now, so nothing was changed. Move that away, then: \`/quarantine restore ${id}\``,
  );
  expect(fs.readFileSync(join(workspace, ".envrc"), "utf8")).toBe("mine\n");
  expect(await says("/quarantine restore")).toBe("Say which one: `/quarantine restore ID`. /quarantine lists them.");
});

test("SC33 a guest neither sees, nor takes back, nor removes", async (t) => {
  const { says, keeps, by } = await place(t);
  const id = keeps(".envrc", "one\n");
  await says(`/quarantine ${id}`);
  for (const text of ["/quarantine", `/quarantine ${id}`, `/quarantine restore ${id}`, `/quarantine delete ${id}`])
    expect(await says(text, GUEST)).toBe("Only an operator can do that.");
  expect(by).toEqual([]);
});

test("SC33 what a stranger wrote makes no line of the answer", async (t) => {
  const { says, keeps } = await place(t);
  const id = keeps("a`b\n![x](y)/.envrc", "```\n\u001b[2J[link](z)\n````\n", "core.`x`");
  expect(await says(`/quarantine ${id}`)).toContain(
    [
      "`` a`b\\n![x](y)/.envrc `` (23 bytes), kept aside for: core.\\`x\\`",
      "`````",
      "```",
      "\\u{1b}[2J[link](z)",
      "````",
      "`````",
    ].join("\n"),
  );
});

test("SC33 quarantine-command/MAX_CHARS: 3,000 letters are shown, of one more it is said that it is cut", async (t) => {
  const { says, keeps } = await place(t);
  const [fits, long] = [keeps(".envrc", "x".repeat(3000)), keeps(".vimrc", "x".repeat(3001))];
  const answers = [await says(`/quarantine ${fits}`), await says(`/quarantine ${long}`)];
  expect(answers.map((answer) => answer?.match(/^x+$/m)?.[0].length)).toEqual([3000, 3000]);
  const cut = `\nOnly the beginning is shown: \`margay quarantine show ${long}\` shows more.\n`;
  expect(answers.map((answer) => answer?.includes(cut))).toEqual([false, true]);
});

test("SC33 of more than twenty twenty are listed; /help names the command; all of it in Chinese too", async (t) => {
  const { says, keeps } = await place(t, "zh-CN");
  for (let index = 10; index < 31; index += 1) keeps(`d${index}/.envrc`, "one\n");
  const listed = (await says("/quarantine")) ?? "";
  expect(listed).toContain("以下内容由命令留下，因为会自行运行而被另行保存：");
  expect(listed.match(/字节$/gm)).toHaveLength(20);
  expect(listed).toContain("- 另有 1 项未列出：`margay quarantine` 可列出全部");
  const id = keeps(".vimrc", "one\n");
  expect(await says(`/quarantine ${id}`)).toContain("`.vimrc`（4 字节），保存原因：.vimrc");
  expect(await says(`/quarantine restore ${id}`)).toBe("`.vimrc` 已放回原处，视为您自己的。");
  expect(await says("/help")).toContain("/quarantine [ID] – 命令留下的");
});
