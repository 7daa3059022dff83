/** The plugins of the guides, taken from their pages: added by the command, and used. */
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { says, startMockModel } from "@margay/core/testing";
import { expect, onTestFinished, test } from "vitest";
import { margay } from "../cli/harness.ts";

/** Writes the files of a page into a folder. */
function written(page: string, folder: string): void {
  const text = readFileSync(join(import.meta.dirname, "../../../../docs", page), "utf8");
  mkdirSync(folder);
  for (const [, name = "", content = ""] of text.matchAll(/`([\w.]+)`:\n\n```\w+\n([\s\S]*?)```/g))
    writeFileSync(join(folder, name), content);
}

const NPM = (directory: string) => ({
  PATH: process.env["PATH"] ?? "",
  HOME: directory,
  npm_config_offline: "true",
  npm_config_update_notifier: "false",
});

test.each([
  ["write-a-tool.md", "margay-tool-words", "words", "Tool count (read): Counts the words"],
  ["write-a-hook.md", "margay-hook-quiet", "quiet", "Looks at: call.before"],
])(
  "PL1 the plugin of %s is shown before it is used, approved, suspended by a change, and removed",
  async (page, name, id, shown) => {
    const app = margay();
    const folder = join(app.directory, name);
    written(page, folder);
    const env = NPM(app.directory);
    const refused = await app.run(["plugin", "add", `./${name}`], { env });
    expect([refused.code, refused.err]).toEqual([1, expect.stringContaining(shown)]);
    expect((await app.run(["plugin", "list"])).out).not.toContain(name);

    const asked: string[] = [];
    const person = (question: string): Promise<string> => {
      asked.push(question);
      return Promise.resolve("y");
    };
    const added = await app.run(["plugin", "add", `./${name}`], { env, person });
    expect([added.code, added.out]).toEqual([0, `${name} 1.0.0 is used from the next start of margay on.\n`]);
    expect(asked).toEqual(["Use it as it is shown? [y/N] "]);
    expect((await app.run(["plugin", "show", id])).out).toContain(shown);

    writeFileSync(join(app.home, "plugins/node_modules", name, "more.txt"), "new");
    expect((await app.run(["plugin", "list"])).out).toContain("suspended: it has changed");
    expect((await app.run(["plugin", "approve", id, "--yes", "--json"])).lines).toMatchObject([{ approved: id }]);
    expect((await app.run(["plugin", "list"])).out).not.toContain("suspended");
    expect((await app.run(["plugin", "remove", id], { env })).out).toBe(`${name} is removed.\n`);
    expect(readFileSync(join(app.home, "plugins/approved.json"), "utf8")).not.toContain(name);
  },
);

test("PL3 code that imports is refused by `plugin add` unless it is trusted, which is said in capitals", async () => {
  const app = margay();
  written("write-a-tool.md", join(app.directory, "margay-tool-words"));
  const index = join(app.directory, "margay-tool-words/index.js");
  writeFileSync(
    index,
    `import { readFileSync } from "node:fs";\n${readFileSync(index, "utf8")}\nexport { readFileSync };\n`,
  );
  const env = NPM(app.directory);
  const refused = await app.run(["plugin", "add", "./margay-tool-words", "--yes"], { env });
  expect([refused.code, refused.err]).toEqual([1, expect.stringContaining('it uses import "node:fs" in line 1')]);
  const trusted = await app.run(["plugin", "add", "./margay-tool-words", "--trusted", "--yes"], { env });
  expect([trusted.code, trusted.err]).toEqual([0, expect.stringContaining("TRUSTED: it has all your rights.")]);
});

test("PL6 the provider of write-a-provider.md is added, and a model answers over it", async () => {
  const model = await startMockModel();
  onTestFinished(() => model.close());
  model.replies(says("from lumen"));
  const app = margay();
  const lumen = { baseUrl: `${model.url}/v1`, apiKey: "lumen-key-0123456789" };
  app.configure({ model: "lumen/test", providers: { lumen }, heartbeat: { enabled: false } });
  written("write-a-provider.md", join(app.directory, "margay-provider-lumen"));
  const env = NPM(app.directory);
  const added = await app.run(["plugin", "add", "./margay-provider-lumen", "--yes"], { env });
  expect([added.code, added.err]).toEqual([0, expect.any(String)]);
  const asked = await app.run(["agent", "-m", "hello"], { env });
  expect([asked.code, asked.out]).toEqual([0, "from lumen\n"]);
  expect(model.requests[0]?.headers["authorization"]).toBe("Bearer lumen-key-0123456789");
});
