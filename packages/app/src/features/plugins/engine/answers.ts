/** What a running call of a plugin asks of margay: files, addresses, commands, blobs. Each within what its manifest says, and nothing else. */
import {
  RuntimeError,
  type JsonObject,
  type Tool,
  type ToolContext,
  type ToolRegistry,
  type ToolResult,
} from "@margay/core";
import {
  type BlobStore,
  classifyPath,
  type EgressAttempt,
  egressName,
  entryFor,
  type FileLabels,
  isSensitivePath,
  type Readers,
  readersIn,
  type SafeFetch,
  safeFiles,
  sha256,
  textOf,
} from "@margay/core/internal";
import type { PluginManifest } from "./manifest.ts";

export interface AnswersOptions {
  readonly manifest: PluginManifest;
  /** The state directory: closed. */
  readonly home: string;
  /** The agent's own tools in this conversation: files are written and commands run as by them. */
  readonly own: ToolRegistry;
  /** Whether something stands between a command and the machine. */
  readonly isConfined: boolean;
  readonly labels: FileLabels;
  readonly blobs: BlobStore;
  readonly safeFetch: SafeFetch;
  readonly record: (attempt: EgressAttempt) => void;
}
export interface Answers {
  ask(what: string, args: Readonly<Record<string, unknown>>): Promise<JsonObject>;
  /** SHA-256 of what it has put into the blob store. */
  readonly kept: ReadonlySet<string>;
  /** What its result has to say of what was read for it. */
  readonly marks: () => Pick<Exclude<ToolResult, string>, "confidentiality" | "readers">;
}

const ANSWER_BYTES = 5 * 1024 * 1024;
const REDIRECTS = 5;

/** What one call has read and kept so far. */
interface Seen {
  readonly kept: Set<string>;
  readonly readers: Readers[];
  confidentiality: "personal" | "sensitive" | undefined;
  commands: number;
}

/** @param context of the call: ends everything that is asked for in it. */
export function answersFor(options: AnswersOptions, context: ToolContext): Answers {
  const seen: Seen = { kept: new Set(), readers: [], confidentiality: undefined, commands: 0 };
  return {
    kept: seen.kept,
    marks: () => ({
      ...(seen.confidentiality !== undefined && { confidentiality: seen.confidentiality }),
      ...(seen.readers.length > 0 && { readers: seen.readers }),
    }),
    ask: (what, args) => {
      switch (what) {
        case "read":
          return read(options, context, text(args, "path"), seen);
        case "list":
          return list(options, context, text(args, "path"));
        case "write":
          return write(options, context, args);
        case "fetch":
          return fetchFor(options, context, args);
        case "exec":
          return command(options, context, args, seen);
        case "blob":
          return keep(options, Buffer.from(text(args, "bytes"), "base64"), seen);
        default:
          throw new Error(`margay has no ${what.slice(0, 40)}`);
      }
    },
  };
}

function text(args: Readonly<Record<string, unknown>>, name: string): string {
  const value = args[name];
  if (typeof value !== "string") throw new Error(`${name} must be a text`);
  return value;
}

function refuse(manifest: PluginManifest, what: string): Error {
  return new Error(`plugin.json of ${manifest.name} does not ask for ${what}`);
}

async function read(
  { manifest, home, labels }: AnswersOptions,
  { workspace }: ToolContext,
  path: string,
  seen: Seen,
): Promise<JsonObject> {
  if (manifest.files === "none") throw refuse(manifest, "files");
  using file = await safeFiles({ root: workspace, restrict: true, protect: [home] }).read(path);
  if (file.stats.size > ANSWER_BYTES) throw new Error(`${path} is over ${ANSWER_BYTES / 1024 / 1024} MB`);
  const bytes = await file.bytes();
  const known = { hash: sha256(bytes), bytes: () => Promise.resolve(bytes) };
  seen.readers.push(...(await readersIn(file.real, known, labels)));
  if (seen.confidentiality !== "sensitive")
    seen.confidentiality = isSensitivePath(file.real) ? "sensitive" : "personal";
  return { bytes: bytes.toString("base64") };
}

async function list({ manifest, home }: AnswersOptions, { workspace }: ToolContext, path: string): Promise<JsonObject> {
  if (manifest.files === "none") throw refuse(manifest, "files");
  const names: string[] = [];
  for await (const { name, kind } of safeFiles({ root: workspace, restrict: true, protect: [home] }).list(path)) {
    names.push(kind === "directory" ? `${name}/` : name);
    if (names.length > 10_000) throw new Error(`${path} has more than 10,000 entries`);
  }
  return { names: names.toSorted() };
}

/** By the tool that the agent writes with: its copies for undo, its labels, its refusals. What it writes is a stranger's text. */
async function write(
  { manifest, home, own }: AnswersOptions,
  context: ToolContext,
  args: Readonly<Record<string, unknown>>,
): Promise<JsonObject> {
  if (manifest.files !== "write") throw refuse(manifest, "files to write");
  const path = text(args, "path");
  // guard: what says who the agent is, a person is asked about; a plugin asks nobody.
  if (classifyPath(context.workspace, path, [home]) !== "inside")
    throw new Error(`${path} is not for plugins to write`);
  const content = textIn(Buffer.from(text(args, "bytes"), "base64"), path);
  const label = { ...context.label, integrity: "untrusted" as const };
  await used(own.get("write_file"), { path, content }, { ...context, label });
  return {};
}

/** @throws Error: the tool writes text, and anything else would not be what the plugin gave. */
function textIn(bytes: Uint8Array, path: string): string {
  try {
    return new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch {
    throw new Error(`${path} would not be text; give such bytes as a blob`);
  }
}

async function command(
  { manifest, own, isConfined }: AnswersOptions,
  context: ToolContext,
  args: Readonly<Record<string, unknown>>,
  seen: Seen,
): Promise<JsonObject> {
  if (!manifest.exec) throw refuse(manifest, "commands");
  const tool = own.get("exec");
  if (tool === undefined || !isConfined)
    throw new Error("commands of plugins run in the sandbox, and there is none here");
  const timeout = args["timeoutSeconds"];
  const callId = `${context.callId}-${++seen.commands}` as ToolContext["callId"]; // a receipt of its own
  // Nobody is asked while a plugin runs: what the deny list names is refused.
  const inner: ToolContext = { ...context, callId, attended: false };
  const input = { command: text(args, "command"), ...(typeof timeout === "number" && { timeout }) };
  const result = await tool.execute(input as never, inner); // as its schema says
  const given = typeof result === "string" ? { parts: [{ type: "text" as const, text: result }] } : result;
  if ("readers" in given && given.readers !== undefined) seen.readers.push(...given.readers);
  if ("confidentiality" in given && given.confidentiality !== undefined && seen.confidentiality !== "sensitive")
    seen.confidentiality = given.confidentiality === "sensitive" ? "sensitive" : "personal";
  return { text: textOf(given.parts), isError: "isError" in given && given.isError === true };
}

/** @throws Error with the words of a refusal. */
async function used(tool: Tool | undefined, input: JsonObject, context: ToolContext): Promise<void> {
  if (tool === undefined) throw new Error("there are no files here");
  const result = await tool.execute(input as never, context); // as its schema says
  if (typeof result !== "string" && result.isError === true) throw new Error(textOf(result.parts));
}

async function fetchFor(
  { manifest, safeFetch, record }: AnswersOptions,
  { signal }: ToolContext,
  args: Readonly<Record<string, unknown>>,
): Promise<JsonObject> {
  const method = args["method"] === "POST" ? ("POST" as const) : undefined;
  const body = typeof args["body"] === "string" ? args["body"] : undefined;
  const headers = headersIn(args["headers"]);
  let next = text(args, "url");
  for (let hops = 0; hops <= REDIRECTS; hops++) {
    allowed(manifest, next, record);
    const request = hops > 0 ? {} : { headers, ...(method && { method }), ...(body !== undefined && { body }) };
    const result = await safeFetch(next, { ...request, sameHost: true }, signal);
    if (result.status === "refused") throw new Error(`${result.refusal.fact}. ${result.refusal.next}`);
    const { response } = result;
    if (response.elsewhere === undefined) {
      if (response.isCut || response.body.length > ANSWER_BYTES) throw new Error(`${next} is over 5 MB`);
      const { status, url } = response;
      return { status, url, headers: response.headers, bytes: Buffer.from(response.body).toString("base64") };
    }
    next = response.elsewhere;
  }
  throw new Error("it redirects more than 5 times");
}

/** @throws Error: its host is not in the manifest. */
function allowed({ hosts, name }: PluginManifest, text: string, record: AnswersOptions["record"]): void {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  if (url === undefined || !["http:", "https:"].includes(url.protocol))
    throw new Error(`${text.slice(0, 200)} is no address`);
  const port = url.port === "" ? (url.protocol === "https:" ? 443 : 80) : Number(url.port);
  const known = egressName(url.hostname);
  // guard: the hosts that a person has seen, and no others.
  const isListed = known !== undefined && entryFor(known, port, hosts) !== undefined;
  const host = url.hostname.slice(0, 200);
  record({ host, port, allowed: isListed, ...(!isListed && { reason: "not in the manifest" }) });
  if (!isListed) throw new Error(`${host} is not among the hosts of the plugin ${name}`);
}

function headersIn(value: unknown): Readonly<Record<string, string>> {
  if (typeof value !== "object" || value === null) return {};
  const entries = Object.entries(value).filter((entry): entry is [string, string] => typeof entry[1] === "string");
  // Of the connection, not of what is asked for.
  return Object.fromEntries(
    entries.filter(([name]) => !/^(?:host|connection|content-length|transfer-encoding)$/i.test(name)),
  );
}

async function keep({ blobs }: AnswersOptions, bytes: Uint8Array, { kept }: Seen): Promise<JsonObject> {
  if (bytes.length > ANSWER_BYTES)
    throw new RuntimeError("plugin.refused", "A blob of a plugin has at most 5 MB. Give less.");
  const blob = await blobs.put(bytes);
  kept.add(blob.sha256);
  return { blob: { sha256: blob.sha256, bytes: blob.bytes } };
}
