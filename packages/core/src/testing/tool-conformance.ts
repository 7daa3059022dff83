// What every tool plugin must do, asked of its package in a process behind the fence, with a workspace that the suite makes up.
import assert from "node:assert/strict";
import type { JsonObject } from "../contract/base.ts";
import { isRecord } from "../lib/is-record.ts";
import type { PluginProcess } from "../machine/plugins/plugin-process.ts";
import { judge } from "../tools/validate-fully.ts";
import type { Register } from "./conformance.ts";
import { hostOf, type ToolCase, type ToolWorld } from "./plugin/host.ts";
import { behindFence, type PluginPackage, readPackage, samePackage } from "./plugin/package.ts";

export interface ToolSuite {
  /** Of the package, built: as `npm pack` finds it. */
  readonly folder: string;
  /** At least one call of each tool. */
  readonly cases: readonly ToolCase[];
}

interface Offered {
  readonly name: string;
  readonly input: JsonObject;
  readonly effect: string;
}

/**
 * Registers the tests of tool/1.
 * @param register `test` of any framework. @param suite The package, and calls of its tools with what they give.
 */
export function toolConformance(register: Register, { folder, cases }: ToolSuite): void {
  const test: Register = (name, run) => register(`tool: ${name}`, run);
  const asked = async (body: (process: PluginProcess, one: PluginPackage) => Promise<void>): Promise<void> => {
    const one = readPackage(folder, "tool/1");
    await behindFence(one, (process) => body(process, one));
  };
  samePackage(test, folder, "tool/1");

  test("its manifest asks for what margay can give", async () => {
    await Promise.resolve();
    const { hosts = [], files = "none", exec = false, pure = false } = readPackage(folder, "tool/1").manifest;
    assert.ok(Array.isArray(hosts) && hosts.every((host) => typeof host === "string"), "hosts is a list of names");
    assert.ok(["none", "read", "write"].includes(String(files)), "files is none, read or write");
    assert.ok(typeof exec === "boolean" && typeof pure === "boolean", "exec and pure are true or false");
    assert.ok(!pure || (hosts.length === 0 && files === "none" && !exec), "what is pure asks for nothing");
  });

  test("its tools are described as margay takes them, and each has a case here whose arguments fit", () =>
    asked(async ({ offer }) => {
      const tools = offered(offer["tools"]);
      for (const { name, input } of tools) {
        const own = cases.filter(({ tool }) => tool === name);
        assert.ok(own.length > 0, `${name} has a case`);
        for (const one of own) assert.deepEqual(judge(one.input, input), [], `arguments of ${name}`);
      }
      assert.ok(
        cases.every(({ tool }) => tools.some(({ name }) => name === tool)),
        "each case is of a tool that it has",
      );
      await Promise.resolve();
    }));

  for (const [index, one] of cases.entries())
    test(`it gives what its case says: ${index + 1}, ${one.tool}`, () =>
      asked(async (process, { name, manifest }) => {
        const world = hostOf(name, manifest, one);
        assert.match(await textOf(process, one, world), one.gives);
        const tool = offered(process.offer["tools"]).find((each) => each.name === one.tool);
        const effect = tool?.effect;
        if (effect === "read") assert.deepEqual(world.written, [], "a tool that reads writes no files");
        if (effect === "write") return;
        const first = new Map(world.files);
        assert.match(await textOf(process, one, world), one.gives);
        assert.deepEqual(world.files, first, `${one.tool} says ${effect}: a second time changes nothing more`);
      }));

  test("calls at once get what they get alone", () =>
    asked(async (process, { name, manifest }) => {
      const texts = await Promise.all(cases.map((one) => textOf(process, one, hostOf(name, manifest, one))));
      for (const [index, text] of texts.entries()) assert.match(text, cases[index]?.gives ?? /$^/);
    }));

  test("what is pure gives the same for the same arguments", () =>
    asked(async (process, { name, manifest }) => {
      if (manifest["pure"] !== true) return;
      for (const one of cases) {
        const twice = [0, 1].map(() => textOf(process, one, hostOf(name, manifest, one)));
        const [first, second] = await Promise.all(twice);
        assert.equal(first, second, `${one.tool} gives something else the second time`);
      }
    }));

  test("a call that nobody waits for any more ends within a second, and the next one is answered", () =>
    asked(async (process, { name, manifest }) => {
      for (const one of cases) {
        const stop = new AbortController();
        const given = textOf(
          process,
          one,
          hostOf(name, manifest, one, () => stop.abort(new Error("given up"))),
          stop,
        );
        await given.catch((error: unknown) => assert.equal(error, stop.signal.reason));
        assert.match(await textOf(process, one, hostOf(name, manifest, one)), one.gives);
      }
    }));
}

/** @throws AssertionError: it is not what margay takes. */
function offered(tools: unknown): readonly Offered[] {
  assert.ok(Array.isArray(tools) && tools.length > 0 && tools.length <= 32, "it has 1 to 32 tools");
  const all = tools.map((tool: unknown) => {
    assert.ok(isRecord(tool), "a tool is an object");
    const { name, description, input, effect, reach, timeoutMs } = tool;
    assert.ok(typeof name === "string" && /^[a-zA-Z0-9_-]{1,40}$/.test(name), "a name fits [a-zA-Z0-9_-]{1,40}");
    assert.ok(typeof description === "string" && description.trim() !== "", `${name} has a description`);
    assert.ok(description.length <= 2000, `the description of ${name} has at most 2000 characters`);
    assert.ok(isRecord(input) && input["type"] === "object", `the input of ${name} is a JSON Schema of an object`);
    assert.ok(["read", "idempotent", "write"].includes(String(effect)), `the effect of ${name} is known`);
    assert.ok([undefined, "local", "remote", "command"].includes(reach as string), `the reach of ${name} is known`);
    assert.ok(
      timeoutMs === undefined ||
        (Number.isInteger(timeoutMs) && Number(timeoutMs) >= 1 && Number(timeoutMs) <= 600_000),
      `timeoutMs of ${name} is from 1 to 600000`,
    );
    return { name, input: input as JsonObject, effect: String(effect) }; // came as JSON
  });
  assert.equal(new Set(all.map(({ name }) => name.toLowerCase())).size, all.length, "no two tools have one name");
  return all;
}

/** One call. @returns the text of its result, which is looked at; what failed begins with `Error: `. */
async function textOf(
  process: PluginProcess,
  { tool, input }: ToolCase,
  world: ToolWorld,
  stop: AbortController = new AbortController(),
): Promise<string> {
  const given = await process.call(tool, input, world.call, stop.signal);
  if (typeof given === "string") return given;
  assert.ok(isRecord(given) && Array.isArray(given["parts"]), `${tool} gives a text or { parts }`);
  const texts = given["parts"].map((part: unknown) => {
    assert.ok(isRecord(part), "a part is an object");
    const { type, text, mediaType, blob } = part;
    if (type === "text" && typeof text === "string") return text;
    assert.ok(type === "media" && typeof mediaType === "string" && isRecord(blob), "a part is a text or media");
    assert.ok(world.kept.has(String(blob["sha256"])), "a blob is one that the same call has put");
    return `[${mediaType}]`;
  });
  return `${given["isError"] === true ? "Error: " : ""}${texts.join("\n")}`;
}
