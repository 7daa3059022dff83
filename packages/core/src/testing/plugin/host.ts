/** What a call of a tool plugin finds in its suite, in place of margay: files, addresses, commands and blobs, within its manifest. */
import { createHash } from "node:crypto";
import { posix } from "node:path";
import type { JsonObject } from "../../contract/base.ts";
import { egressName, entryFor } from "../../machine/egress/hosts.ts";
import type { HostCall } from "../../machine/plugins/plugin-process.ts";
import type { PluginCommand, PluginRequest } from "../../machine/plugins/tool-plugin.ts";

/** A call, what it finds, and what it gives. */
export interface ToolCase {
  readonly tool: string;
  readonly input: JsonObject;
  /** The workspace: path → content. */
  readonly files?: Readonly<Record<string, string>>;
  /** What addresses answer. */
  readonly fetch?: (url: URL, request: PluginRequest) => { readonly status?: number; readonly body: string };
  /** What commands give. */
  readonly exec?: (command: string) => PluginCommand;
  /** What somebody has set of what the manifest names. */
  readonly settings?: JsonObject;
  /** What its text holds; that of a result with `isError` begins with `Error: `. */
  readonly gives: RegExp;
}

export interface ToolWorld {
  readonly call: HostCall;
  /** As they are now. */
  readonly files: ReadonlyMap<string, string>;
  /** The paths that were written, each time. */
  readonly written: readonly string[];
  /** SHA-256 of what was put. */
  readonly kept: ReadonlySet<string>;
}

/** @param begun Called once, as soon as the call was sent. */
export function hostOf(
  name: string,
  manifest: Readonly<Record<string, unknown>>,
  one: ToolCase,
  begun?: () => void,
): ToolWorld {
  const files = new Map(Object.entries(one.files ?? {}).map(([path, content]) => [inside(path), content]));
  const written: string[] = [];
  const kept = new Set<string>();
  const answers: Readonly<Record<string, (args: Readonly<Record<string, unknown>>) => JsonObject>> = {
    read: ({ path }) => {
      asks(manifest["files"] === "read" || manifest["files"] === "write", name, "files");
      const content = files.get(inside(path));
      if (content === undefined) throw new Error(`${String(path)} does not exist`);
      return { bytes: Buffer.from(content, "utf8").toString("base64") };
    },
    list: ({ path }) => {
      asks(manifest["files"] === "read" || manifest["files"] === "write", name, "files");
      return { names: namesIn(inside(path), [...files.keys()]) };
    },
    write: ({ path, bytes }) => {
      asks(manifest["files"] === "write", name, "files to write");
      files.set(inside(path), Buffer.from(String(bytes), "base64").toString("utf8"));
      written.push(inside(path));
      return {};
    },
    fetch: ({ url, method, headers, body }) => {
      const address = new URL(String(url));
      asks(isListed(address, manifest["hosts"]), name, address.host);
      if (one.fetch === undefined) throw new Error(`${address.host} was not reached: the case has no \`fetch\``);
      const answer = one.fetch(address, { method, headers, body } as PluginRequest); // as the plugin gave it
      const bytes = Buffer.from(answer.body, "utf8").toString("base64");
      return { status: answer.status ?? 200, url: address.href, headers: {}, bytes };
    },
    exec: ({ command }) => {
      asks(manifest["exec"] === true, name, "commands");
      if (one.exec === undefined) throw new Error("there are no commands: the case has no `exec`");
      return { ...one.exec(String(command)) };
    },
    blob: ({ bytes }) => {
      const content = Buffer.from(String(bytes), "base64");
      const sha256 = createHash("sha256").update(content).digest("hex");
      kept.add(sha256);
      return { blob: { sha256, bytes: content.length } };
    },
  };
  if (begun !== undefined) setImmediate(begun);
  const call: HostCall = {
    about: { id: "call-1", origin: { channel: "web", chat: "one" }, settings: named(manifest, one.settings) },
    progress: () => {},
    ask: async (what, args) => {
      const answer = answers[what];
      if (answer === undefined) throw new Error(`margay has no ${what}`);
      return await Promise.resolve(answer(args));
    },
  };
  return { call, files, written, kept };
}

function named(manifest: Readonly<Record<string, unknown>>, settings: JsonObject = {}): JsonObject {
  const names = [manifest["settings"], manifest["secrets"]].flat();
  return Object.fromEntries(Object.entries(settings).filter(([name]) => names.includes(name)));
}

/** @throws Error as margay words it. */
function asks(isAllowed: boolean, name: string, what: string): void {
  if (!isAllowed) throw new Error(`plugin.json of ${name} does not ask for ${what}`);
}

/** @throws Error: it leads out of the workspace. */
function inside(path: unknown): string {
  const found = posix.normalize(String(path)).replace(/^\.\//, "").replace(/\/$/, "");
  if (found.startsWith("..") || posix.isAbsolute(found)) throw new Error(`${String(path)} is not in the workspace`);
  return found;
}

function namesIn(folder: string, paths: readonly string[]): readonly string[] {
  const start = folder === "." || folder === "" ? "" : `${folder}/`;
  const below = paths.filter((path) => path.startsWith(start)).map((path) => path.slice(start.length));
  return [...new Set(below.map((path) => path.replace(/\/.*/, "/")))].toSorted();
}

function isListed({ hostname, port, protocol }: URL, hosts: unknown): boolean {
  const known = egressName(hostname);
  const number = port === "" ? (protocol === "https:" ? 443 : 80) : Number(port);
  return known !== undefined && entryFor(known, number, (Array.isArray(hosts) ? hosts : []).map(String)) !== undefined;
}
