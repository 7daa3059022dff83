// What a server of a stranger may say: each bound at n, and at one more.
import { type Json, type JsonObject, type Logger } from "@margay/core";
import { silentLog, systemClock, type BlobStore } from "@margay/core/internal";
import { callsTool, says } from "@margay/core/testing";
import { expect, test } from "vitest";
import { connectClient, type ConnectOptions } from "../../src/features/mcp/client/client.ts";
import { toolName } from "../../src/models/tool-name.ts";
import { textOfList, toolResult } from "../../src/features/mcp/client/result.ts";
import { normalizeSchema } from "../../src/models/tool-schema.ts";
import { ECHO, fakeServer, mcpApp } from "./support.ts";

test("tool-name/MAX_CHARS: a name of 64 characters stays, a longer one is cut to 64", () => {
  const name = (chars: number): string => toolName("s", "x".repeat(chars - 6));
  expect(name(64)).toBe(`mcp_s_${"x".repeat(58)}`);
  expect(name(65)).toMatch(/^mcp_s_x{49}_[0-9a-f]{8}$/);
});

test("result/MAX_BYTES, result/MAX_LISTED: a picture of 10 MB and a list of 500 are shown, of one more it is said", async () => {
  const blobs = { put: async (bytes: Uint8Array) => ({ sha256: "", bytes: bytes.length }) } as BlobStore; // nothing is read
  const kind = async (bytes: number): Promise<string> => {
    const image = { type: "bytes", mediaType: "image/png", base64: Buffer.alloc(bytes).toString("base64") } as const;
    const result = await toolResult({ content: [image], isError: false }, blobs);
    return typeof result === "string" ? result : (result.parts.at(-1)?.type ?? "");
  };
  expect([await kind(10 * 1024 * 1024), await kind(10 * 1024 * 1024 + 1)]).toEqual(["media", "text"]);
  const list = (items: number): string =>
    textOfList(Array.from({ length: items }, (_, n) => ({ name: `n${n}`, about: [] })));
  expect(list(500)).toMatch(/\nn499$/);
  expect(list(501)).toMatch(/\nn499\n\(1 more\)$/);
});

test("tool-schema/MAX_DEPTH, tool-schema/MAX_CHARS: a schema 32 deep and of 32,000 characters is taken, one more is not", () => {
  const nested = (levels: number): Json =>
    levels === 0 ? { type: "string" } : { type: "object", properties: { a: nested(levels - 1) } };
  expect([normalizeSchema(nested(32)).ok, normalizeSchema(nested(33)).ok]).toEqual([true, false]);
  const sized = (chars: number): unknown => {
    const schema = (text: string): object => ({ type: "object", properties: {}, description: text });
    return schema("d".repeat(chars - JSON.stringify(schema("")).length));
  };
  expect([normalizeSchema(sized(32_000)).ok, normalizeSchema(sized(32_001)).ok]).toEqual([true, false]);
});

test("search/MAX_FOUND: eight tools that fit are described, the others named", async () => {
  const tools = [ECHO, ...Array.from({ length: 29 }, (_, n) => ({ name: n < 9 ? `invoice_${n}` : `other_${n}` }))];
  const { app, approve } = await mcpApp({ fake: fakeServer({ tools }).config });
  await approve();
  const found = await app.agent.executeTool("mcp_search", { query: "invoice" });
  expect(found.match(/parameters:/g)).toHaveLength(8);
  expect(found).toContain("also: mcp_fake_invoice_8");
});

test("stdio/MAX_LINE_CHARS: an answer that comes in pieces is whole up to 10 MB, a longer line ends its server", async () => {
  // A pipe gives pieces of 64 KiB: the bound holds to the piece.
  const answers = { small: "s".repeat(9 * 1024 * 1024), large: "l".repeat(11 * 1024 * 1024) };
  const fake = fakeServer({ tools: [{ name: "small" }, { name: "large" }], answers });
  const { model, ask } = await mcpApp({ fake: fake.config });
  model.replies(callsTool("mcp_fake_small", {}), callsTool("mcp_fake_large", {}), says("done"));
  const [small, large] = await ask("go");
  expect(small).toMatch(/s{1000}/);
  expect(large).not.toMatch(/l{1000}/);
});

const never = new AbortController().signal;
const connection = (config: JsonObject, log: Logger = silentLog): ConnectOptions => ({
  name: "s",
  config: { enabledTools: ["*"], disabled: false, ...config, sandbox: false },
  env: {},
  allowHosts: [],
  clock: systemClock(),
  log,
});

test("link/MAX_PAGES: of a list that has a tool nobody can read 50 pages are read", async () => {
  const unreadable = { name: "unreadable", inputSchema: "none" };
  const read = async (pages: number): Promise<number> => {
    const tools = Array.from({ length: pages - 1 }, (_, n) => ({ name: `t${n}`, inputSchema: { type: "object" } }));
    const fake = fakeServer({ tools: [unreadable, ...tools], paged: true });
    const link = await connectClient(connection(fake.config), never);
    const found = await link.tools(never);
    await link.close();
    return found.length;
  };
  expect([await read(50), await read(51)]).toEqual([50, 50]);
});

test("stdio/MAX_NOISE_CHARS, stdio/MAX_SAID_CHARS: 300 characters of a line that is no message, 600 in an error", async () => {
  const noise: unknown[] = [];
  const log: Logger = { ...silentLog, warn: (_event, fields) => void noise.push(fields?.["line"]) };
  /** A program that prints this and ends. @returns what the error quotes. */
  const said = async (...lines: readonly string[]): Promise<string> => {
    const config = {
      command: "/bin/sh",
      args: ["-c", 'read -r _; echo "$1"; shift; printf "%s\\n" "$@" >&2', "sh", ...lines],
    };
    const error: unknown = await connectClient(connection(config, log), never).catch((reason: unknown) => reason);
    return String(error).split("It said: ")[1] ?? "";
  };
  const [a, b] = ["a".repeat(301), "b".repeat(301)];
  expect(await said(a.slice(1), b.slice(1))).toBe(b.slice(1));
  expect(await said(a, b)).toBe(b.slice(1));
  expect(noise.filter((line) => line !== undefined)).toEqual([a.slice(1), a.slice(1)]);
  const both = (first: number): Promise<string> => said("", a.slice(0, first), b.slice(1));
  expect(await both(299)).toBe(`${a.slice(0, 299)}\n${b.slice(1)}`); // 600
  expect(await both(300)).toBe(`${a.slice(0, 299)}\n${b.slice(1)}`);
});
