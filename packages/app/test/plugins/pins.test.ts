/** PL1 of what runs inside of margay: a provider or a channel runs with the files that were approved, and with no others. */
import { appendFileSync, existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { says, startMockModel } from "@margay/core/testing";
import { expect, onTestFinished, test } from "vitest";
import { approveInside, reviewInside } from "../../src/features/plugins/inside.ts";
import { loadChannelPlugin, loadPlugin } from "../../src/models/plugin-load.ts";
import { installedFolder, locatePackage, type PluginPlace } from "../../src/models/plugin-locate.ts";
import { pinOf } from "../../src/models/plugins/pin.ts";
import { margay } from "../cli/harness.ts";

const CODE = {
  provider: `export const plugin = { contract: "provider/1", id: "own", name: "Own", keys: [], settings: {}, secrets: {},
    create: (options, host) => host.wire("openai-chat", options) };\n`,
  channel: `export const plugin = { contract: "channel/1", kind: "own", create: () => ({}) };\n`,
} as const;
const LOAD = { provider: loadPlugin, channel: loadChannelPlugin } as const;
type Kind = keyof typeof CODE;

/** As npm would have installed it, with a package that it depends on. */
function installed(home: string, kind: Kind): PluginPlace {
  const name = `margay-${kind}-own`;
  const write = (of: string, file: string, content: string): void => {
    mkdirSync(installedFolder(home, of), { recursive: true });
    writeFileSync(join(installedFolder(home, of), file), content);
  };
  const about = { name, version: "1.0.0", type: "module", license: "MIT", exports: "./index.js" };
  const margay = kind === "channel" ? { margay: { channel: "channel.json" } } : {};
  write(name, "package.json", JSON.stringify({ ...about, dependencies: { "some-words": "1" }, ...margay }));
  write(name, "index.js", `${CODE[kind]}globalThis.ran = (globalThis.ran ?? 0) + 1;\n`);
  if (kind === "channel") {
    const schema = { type: "object", properties: { baseUrl: {}, token: { writeOnly: true } } };
    const guide = { en: "guide.md", zh: "guide.md" };
    write(name, "channel.json", JSON.stringify({ contract: "channel/1", kind: "own", title: "Own", schema, guide }));
    write(name, "guide.md", "As you like.\n");
  }
  write("some-words", "package.json", JSON.stringify({ name: "some-words", version: "1.0.0" }));
  write("some-words", "index.js", "export const word = 1;\n");
  const place = locatePackage(name, { home });
  if (place === undefined) throw new Error("it was not written");
  return place;
}

test.each(["provider", "channel"] as const)(
  "PL1 a %s whose files have changed is suspended before any of them is imported, and stays so until it is approved",
  async (kind) => {
    const { home } = margay();
    const place = installed(home, kind);
    const load = (): Promise<unknown> => LOAD[kind](place);
    const index = join(place.folder, "index.js");
    await expect(load()).rejects.toMatchObject({
      code: "plugin.refused",
      message: `Nobody has approved the plugin ${place.package} as it is. Look at it and run \`margay plugin approve ${place.package}\`.`,
    });
    await approveInside(place, reviewInside(place), 0);
    const before = readFileSync(index, "utf8");
    appendFileSync(index, "globalThis.changed = true;\n");
    const suspended = { code: "plugin.refused", message: expect.stringContaining("has changed since it was approved") };
    await expect(load()).rejects.toMatchObject(suspended);
    expect(pinOf(home, place.package)?.suspended?.why).toBe("changed");
    writeFileSync(index, before);
    await expect(load()).rejects.toMatchObject(suspended);
    expect(globalThis).not.toHaveProperty("changed");
    await approveInside(place, reviewInside(place), 0);
    await expect(load()).resolves.toMatchObject({ contract: `${kind}/1` });
  },
);

test.each(["provider", "channel"] as const)("PL1 so is a %s whose dependency has changed", async (kind) => {
  const { home } = margay();
  const place = installed(home, kind);
  await approveInside(place, reviewInside(place), 0);
  appendFileSync(join(installedFolder(home, "some-words"), "index.js"), "export const more = 2;\n");
  await expect(LOAD[kind](place)).rejects.toMatchObject({ code: "plugin.refused" });
});

test("PL1 a channel is shown with its settings and secrets before it is approved, and what lies beside margay needs no word", async () => {
  const app = margay();
  const place = installed(app.home, "channel");
  writeFileSync(
    join(app.home, "plugins/package.json"),
    JSON.stringify({ dependencies: { "margay-channel-own": "file:x", "margay-provider-own": "file:y" } }),
  );
  const shown = (await app.run(["plugin", "show", "own"])).out;
  for (const words of ["channel/1, license MIT, 6 files", "Settings: baseUrl; secrets: token", "not approved"])
    expect(shown).toContain(words);
  const doctor = async (...more: readonly string[]): Promise<string> => (await app.run(["doctor", ...more])).out;
  app.configure({});
  expect(await doctor()).toContain("margay-channel-own is not approved and not used");
  expect((await app.run(["plugin", "approve", "own"])).code).toBe(1);
  expect(existsSync(join(app.home, "plugins/approved.json"))).toBe(false);
  expect((await app.run(["plugin", "approve", "own", "--yes"])).code).toBe(0);
  await expect(loadChannelPlugin(place)).resolves.toMatchObject({ kind: "own" });
  appendFileSync(join(place.folder, "index.js"), "\n");
  expect(await doctor("--lang", "zh-CN")).toContain("插件 margay-channel-own 在批准后有更改，已暂停");
  expect(await doctor()).toContain("margay plugin approve margay-channel-own");
});

test("PL1 a provider that has changed answers no question, in words that say what to do", async () => {
  const model = await startMockModel({ rules: "off" });
  onTestFinished(() => model.close());
  const app = margay();
  const own = { baseUrl: `${model.url}/v1`, apiKey: "own-key-0123456789" };
  app.configure({ model: "own/test", providers: { own }, heartbeat: { enabled: false } });
  const place = installed(app.home, "provider");
  await approveInside(place, reviewInside(place), 0);
  appendFileSync(join(place.folder, "index.js"), "\n");
  model.replies(says("from own"));
  const asked = await app.run(["agent", "-m", "hello"]);
  expect([asked.code, asked.err]).toEqual([
    expect.any(Number),
    expect.stringContaining("margay plugin approve margay-provider-own"),
  ]);
  expect(asked.code).not.toBe(0);
  expect(model.requests).toHaveLength(0);
});
