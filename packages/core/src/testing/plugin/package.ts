/** What both suites of fenced plugins ask of a package: what it says of itself, its code, and its process. */
import assert from "node:assert/strict";
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import type { Json } from "../../contract/base.ts";
import { isRecord } from "../../lib/is-record.ts";
import { checkBundle } from "../../machine/plugins/check-bundle.ts";
import { type PluginProcess, startPlugin } from "../../machine/plugins/plugin-process.ts";
import { systemClock } from "../../machine/system/clock.ts";
import { silentLog } from "../../machine/system/log.ts";
import type { Register } from "../conformance.ts";

/** A package as `npm pack` finds it, built. */
export interface PluginPackage {
  readonly name: string;
  readonly manifest: Readonly<Record<string, unknown>>;
  readonly code: string;
}

const FIELDS: Readonly<Record<string, readonly string[]>> = {
  "tool/1": ["contract", "name", "title", "hosts", "files", "exec", "settings", "secrets", "pure"],
  "hook/1": ["contract", "name", "title"],
};

/** @throws AssertionError: it cannot be read, or does not say what its contract asks for. */
export function readPackage(folder: string, contract: "tool/1" | "hook/1"): PluginPackage {
  const { margay, exports, files } = object(folder, "package.json");
  const listed = isRecord(margay) ? margay["plugin"] : undefined;
  assert.ok(typeof listed === "string", 'package.json names the manifest: "margay": { "plugin": "plugin.json" }');
  const main = isRecord(exports) ? (exports["."] ?? exports) : exports;
  const entry = isRecord(main) ? (main["default"] ?? main["import"]) : main;
  assert.ok(typeof entry === "string", 'package.json names the code: "exports": "./index.js"');
  assert.ok(existsSync(join(folder, entry)), `${entry} is there: build the package before its tests`);
  if (Array.isArray(files))
    for (const path of [listed, entry].map((one) => one.replace(/^\.\//, "")))
      assert.ok(
        files.some((one) => typeof one === "string" && isIn(path, one.replace(/^\.\//, "").replace(/\/$/, ""))),
        `"files" of package.json packs ${path}`,
      );
  const manifest = object(folder, listed);
  assert.equal(manifest["contract"], contract);
  const unknown = Object.keys(manifest).filter((field) => !FIELDS[contract]?.includes(field));
  assert.deepEqual(unknown, [], `fields of ${listed} that ${contract} does not know`);
  const { name } = manifest;
  assert.ok(typeof name === "string" && /^[a-z][a-z0-9-]{0,23}$/.test(name), "its name fits [a-z][a-z0-9-]{0,23}");
  return { name, manifest, code: readFileSync(join(folder, entry), "utf8") };
}

function isIn(path: string, listed: string): boolean {
  return path === listed || path.startsWith(`${listed}/`);
}

function object(folder: string, path: string): Readonly<Record<string, unknown>> {
  const value: unknown = JSON.parse(readFileSync(join(folder, path), "utf8"));
  assert.ok(isRecord(value), `${path} is a JSON object`);
  return value;
}

/** Starts it behind the fence that margay puts up. */
export async function behindFence<T>(one: PluginPackage, body: (process: PluginProcess) => Promise<T>): Promise<T> {
  const { name, code } = one;
  using process = await startPlugin({ name, code }, { clock: systemClock(), log: silentLog, ended: () => {} });
  return await body(process);
}

/** What a plugin of either contract must be before anything of it is used. */
export function samePackage(register: Register, folder: string, contract: "tool/1" | "hook/1"): void {
  register("package.json and its manifest say what margay needs", async () => {
    await Promise.resolve(readPackage(folder, contract));
  });
  register("its code is one file that margay takes", async () => {
    const { code } = await Promise.resolve(readPackage(folder, contract));
    assert.equal(checkBundle(code), undefined);
    assert.ok(Buffer.byteLength(code) <= 4 * 1024 * 1024, "it has at most 4 MB");
  });
  register("it starts behind the fence and offers the same each time", async () => {
    const one = readPackage(folder, contract);
    const offer = (): Promise<Json> => behindFence(one, (process) => Promise.resolve(process.offer as Json)); // came as JSON
    const first = await offer();
    assert.ok(isRecord(first));
    assert.deepEqual([first["contract"], first["name"]], [contract, one.name]);
    assert.deepEqual(await offer(), first);
  });
}
