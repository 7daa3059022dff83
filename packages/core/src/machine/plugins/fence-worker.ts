/**
 * Inside the process of a plugin: takes its code over the wire, evaluates it with nothing to reach, and calls it. The process has no
 * files, programs, threads or addons by Node's permission model; here its code loses modules and the globals that open connections.
 * A program of its own that is handed to `node --eval`: it imports nothing of ours, and in this way a bundler adds nothing.
 */
const { registerHooks } = process.getBuiltinModule("node:module");
const { Socket } = process.getBuiltinModule("node:net");
const { pathToFileURL } = process.getBuiltinModule("node:url");

type Plain = Readonly<Record<string, unknown>>;
interface Waiting {
  readonly resolve: (value: unknown) => void;
  readonly reject: (error: Error) => void;
}

/** What a plugin finds on `globalThis`: of the language, and what computes. Nothing that opens, starts or loads. */
const KEPT = `Object Function Array Number parseFloat parseInt Infinity NaN undefined Boolean String Symbol Date Promise RegExp Error
  AggregateError EvalError RangeError ReferenceError SyntaxError TypeError URIError SuppressedError globalThis JSON Math Intl Proxy
  ArrayBuffer Atomics Uint8Array Int8Array Uint16Array Int16Array Uint32Array Int32Array BigUint64Array BigInt64Array Reflect
  Uint8ClampedArray Float16Array Float32Array Float64Array DataView Map BigInt Set Iterator WeakMap WeakSet WeakRef
  FinalizationRegistry decodeURI decodeURIComponent encodeURI encodeURIComponent escape unescape eval isFinite isNaN Buffer
  DisposableStack AsyncDisposableStack SharedArrayBuffer WebAssembly setTimeout clearTimeout setInterval clearInterval setImmediate
  clearImmediate queueMicrotask structuredClone atob btoa URL URLSearchParams URLPattern DOMException AbortController AbortSignal
  Event EventTarget CustomEvent TextEncoder TextDecoder TextEncoderStream TextDecoderStream TransformStream WritableStream
  ReadableStream CompressionStream DecompressionStream Blob File performance crypto CryptoKey`;
const HEADER_BYTES = 4;
const LOG_CHARS = 500;

const wire = new Socket({ fd: 3, readable: true, writable: true });
const { stringify, parse } = JSON;
const exit = process.exit.bind(process);
const asked = new Map<number, Waiting>();
const calls = new Map<number, AbortController>();
let asks = 0;
let plugin: Plain = {};
let tools: readonly Plain[] = [];

function send(frame: Plain): void {
  const body = Buffer.from(stringify(frame), "utf8");
  const head = Buffer.alloc(HEADER_BYTES);
  head.writeUInt32BE(body.length);
  wire.write(head);
  wire.write(body);
}

function said(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}

function log(text: unknown): void {
  send({ type: "log", text: String(text).slice(0, LOG_CHARS) });
}

function ask(call: number, what: string, args: Plain): Promise<Plain> {
  return new Promise<Plain>((resolve, reject) => {
    asked.set(++asks, { resolve: resolve as Waiting["resolve"], reject });
    send({ type: "ask", call, ask: asks, what, args });
  });
}

function bytesOf(content: unknown): string {
  return (typeof content === "string" ? Buffer.from(content, "utf8") : Buffer.from(content as Uint8Array)).toString(
    "base64",
  );
}

/** What a tool is handed for one call. */
function callOf(id: number, about: Plain, signal: AbortSignal): Plain {
  const read = async (path: string): Promise<Buffer> =>
    Buffer.from(String((await ask(id, "read", { path }))["bytes"]), "base64");
  return {
    id: about["id"],
    origin: about["origin"],
    settings: about["settings"],
    signal,
    progress: (text: unknown) => send({ type: "progress", call: id, text: String(text).slice(0, LOG_CHARS) }),
    files: {
      read: async (path: string) => new Uint8Array(await read(path)),
      text: async (path: string) => (await read(path)).toString("utf8"),
      write: async (path: string, content: unknown) => void (await ask(id, "write", { path, bytes: bytesOf(content) })),
      list: async (path: string) => (await ask(id, "list", { path }))["names"],
    },
    fetch: async (url: unknown, init: Plain = {}) => {
      const { method, headers, body } = init;
      const got = await ask(id, "fetch", { url: String(url), method, headers, body });
      const bytes = Buffer.from(String(got["bytes"]), "base64");
      const status = Number(got["status"]);
      return {
        ...{ status, ok: status >= 200 && status < 300, url: got["url"], headers: got["headers"] },
        bytes: async () => new Uint8Array(bytes),
        text: async () => bytes.toString("utf8"),
        json: async () => parse(bytes.toString("utf8")) as unknown,
      };
    },
    exec: async (command: string, options: Plain = {}) => ask(id, "exec", { command, ...options }),
    blobs: { put: async (bytes: unknown) => (await ask(id, "blob", { bytes: bytesOf(bytes) }))["blob"] },
  };
}

async function load({ code, path }: Plain): Promise<void> {
  const source = `data:text/javascript;base64,${Buffer.from(String(code), "utf8").toString("base64")}`;
  const module = (await import(path === undefined ? source : pathToFileURL(String(path)).href)) as Plain;
  plugin = module["plugin"] as Plain;
  if (typeof plugin !== "object" || plugin === null) throw new Error("it exports no `plugin`");
  const { contract, name, on } = plugin;
  if (contract === "tool/1") {
    tools = (plugin["tools"] as (host: unknown) => readonly Plain[])({ log });
    const described = tools.map(({ name: tool, description, input, effect, reach, timeoutMs }) => {
      return { name: tool, description, input, effect, reach, timeoutMs };
    });
    send({ type: "ready", contract, name, tools: described });
  } else send({ type: "ready", contract, name, points: typeof on === "object" && on !== null ? Object.keys(on) : [] });
}

async function call(frame: Plain): Promise<unknown> {
  const id = Number(frame["call"]);
  const stop = new AbortController();
  calls.set(id, stop);
  try {
    if (frame["type"] === "hook") {
      const { event } = frame as { readonly event: Plain };
      return await (plugin["on"] as Readonly<Record<string, (event: Plain) => unknown>>)[String(event["point"])]?.(
        event,
      );
    }
    const tool = tools.find(({ name }) => name === frame["tool"]);
    if (tool === undefined) throw new Error(`it has no tool ${String(frame["tool"])}`);
    return await (tool as { execute: (input: unknown, call: Plain) => unknown }).execute(
      frame["input"],
      callOf(id, frame["about"] as Plain, stop.signal),
    );
  } finally {
    calls.delete(id);
  }
}

function take(frame: Plain): void {
  switch (frame["type"]) {
    case "load":
      load(frame).catch((error: unknown) => send({ type: "unloaded", error: said(error) }));
      return;
    case "call":
    case "hook":
      call(frame).then(
        (value) => send({ type: "result", call: frame["call"], value }),
        (error: unknown) => send({ type: "threw", call: frame["call"], error: said(error) }),
      );
      return;
    case "abort":
      calls.get(Number(frame["call"]))?.abort(new Error("nobody waits for this call any more"));
      return;
    default: {
      const waiting = asked.get(Number(frame["ask"]));
      asked.delete(Number(frame["ask"]));
      if (typeof frame["error"] === "string") waiting?.reject(new Error(frame["error"]));
      else waiting?.resolve(frame["value"]);
    }
  }
}

function shut(): void {
  const kept = new Set(KEPT.split(/\s+/));
  const lines = (...values: readonly unknown[]): void => log(values.map(String).join(" "));
  const world = globalThis as unknown as Record<string, unknown>;
  for (const name of Object.getOwnPropertyNames(world)) if (!kept.has(name)) delete world[name];
  world["console"] = { log: lines, info: lines, warn: lines, error: lines, debug: lines };
  world["process"] = Object.freeze({ env: Object.freeze({}), nextTick: queueMicrotask });
  registerHooks({
    resolve: (specifier, context, next) => {
      if (specifier.startsWith("data:text/javascript;base64,")) return next(specifier, context);
      throw new Error(`a plugin imports nothing, and this one imports ${specifier.slice(0, LOG_CHARS)}`);
    },
  });
}

let pending = Buffer.alloc(0);
wire.on("data", (chunk: Buffer) => {
  pending = Buffer.concat([pending, chunk]);
  while (pending.length >= HEADER_BYTES && pending.length >= HEADER_BYTES + pending.readUInt32BE()) {
    const end = HEADER_BYTES + pending.readUInt32BE();
    const frame = parse(pending.toString("utf8", HEADER_BYTES, end)) as Plain;
    pending = pending.subarray(end);
    take(frame);
  }
});
wire.once("close", () => exit(0));
wire.once("error", () => exit(0));
process.once("uncaughtException", (error) => send({ type: "fault", error: said(error) }));
if (process.env["MARGAY_PLUGIN_TRUSTED"] !== "1") shut();

export {}; // a module, as `await` and the bundler want it
