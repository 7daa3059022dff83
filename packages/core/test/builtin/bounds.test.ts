// What one call of a tool may take or give: each bound at n, and at one more.
import { existsSync, mkdirSync, truncateSync, utimesSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { gzipSync } from "node:zlib";
import { expect, test } from "vitest";
import { closestLine } from "../../src/builtin/files/closest-line.ts";
import { callFilesOf } from "../../src/builtin/exec/scripts.ts";
import { createTidy } from "../../src/builtin/exec/cleanup.ts";
import { extractTool } from "../../src/extraction/extract-tool.ts";
import { hit } from "../../src/builtin/web/engines.ts";
import { openFileLabels } from "../../src/labels/file-labels.ts";
import { withLeftBehind } from "../../src/builtin/exec/left-behind.ts";
import { messageTool } from "../../src/builtin/message.ts";
import { readPage } from "../../src/builtin/web/page-reader.ts";
import { recallTool } from "../../src/memory/recall-tool.ts";
import { rememberTool } from "../../src/memory/remember-tool.ts";
import { createRepeats } from "../../src/builtin/web/repeats.ts";
import { splitCommand } from "../../src/builtin/exec/segments.ts";
import { startsOtherwise } from "../../src/undo/started.ts";
import { webFetchTool } from "../../src/builtin/web/web-fetch.ts";
import type { CallId, SessionId, TurnId } from "../../src/contract/base.ts";
import type { Tool } from "../../src/contract/tool.ts";
import { systemClock } from "../../src/machine/system/clock.ts";
import { sha256 } from "../../src/machine/system/hash.ts";
import { safeFiles } from "../../src/machine/files/safe-files.ts";
import { prepare } from "../../src/tools/prepare.ts";
import { createRegistry } from "../../src/tools/registry.ts";
import { fakeClock } from "../../src/testing.ts";
import { temporaryFolder } from "../support/folder.ts";
import { fileBench } from "./file-support.ts";
import { createMachine, textOf } from "./machine.ts";
import { openWeb } from "./web.ts";

/** Whether the registry would run the call. */
async function isTaken(tool: Tool, input: object): Promise<boolean> {
  const call = { name: tool.name, input: {}, inputText: JSON.stringify(input) };
  return (await prepare(createRegistry([tool]), call)).ok;
}

test("read-file/MAX_LINES: 2,000 lines are shown, and no more can be asked for", async () => {
  const { call, put } = await fileBench({ maxResultChars: 100_000 });
  await put("many", "x\n".repeat(2000));
  await put("more", "x\n".repeat(2001));
  expect((await call("read_file", { path: "many" })).text).not.toContain("[lines");
  expect((await call("read_file", { path: "more" })).text).toContain("[lines 1–2000 of 2001.");
  expect((await call("read_file", { path: "more", limit: 2001 })).text).toContain("from 1 to 2000");
});

test("read-file/MAX_IMAGE_BYTES: a picture of 5 MB is shown, a byte more is not", async () => {
  const { call, put } = await fileBench();
  const path = await put("a.png", Buffer.from("89504e470d0a1a0a00000000", "hex"));
  truncateSync(path, 5 * 1024 * 1024);
  expect((await call("read_file", { path: "a.png" })).parts.map(({ type }) => type)).toContain("media");
  truncateSync(path, 5 * 1024 * 1024 + 1);
  expect((await call("read_file", { path: "a.png" })).text).toContain("is not text");
});

test("refusal/MAX_FILE_BYTES: a file of 100 MB is read, a byte more is not", async () => {
  const { call, put } = await fileBench();
  const path = await put("big", "x\n");
  truncateSync(path, 100 * 1024 * 1024);
  expect((await call("read_file", { path: "big", limit: 1 })).text).not.toContain("100 MB");
  truncateSync(path, 100 * 1024 * 1024 + 1);
  expect((await call("read_file", { path: "big", limit: 1 })).text).toContain("100 MB");
});

test("list-dir/MAX_ENTRIES: 200 entries are listed, of one more it is said", async () => {
  const { call, workspace } = await fileBench();
  mkdirSync(join(workspace, "many"));
  for (let n = 0; n < 200; n++) writeFileSync(join(workspace, "many", `f${100 + n}`), "");
  const last = async (): Promise<string | undefined> =>
    (await call("list_dir", { path: "many" })).text.split("\n").at(-1);
  expect(await last()).toBe("f299");
  writeFileSync(join(workspace, "many", "more"), "");
  expect(await last()).toBe("[200 of 201 entries. Narrow with search_files.]");
});

test("search-tree/MAX_BYTES, search-tree/MAX_LINE_CHARS: files of 20 MB are searched, 300 characters of a line are shown", async () => {
  const { call, put } = await fileBench();
  const search = async (): Promise<string> => (await call("search_files", { pattern: "needle" })).text;
  const path = await put("a", "needle\n");
  truncateSync(path, 20 * 1024 * 1024);
  expect(await search()).not.toContain("left out");
  truncateSync(path, 20 * 1024 * 1024 + 1);
  expect(await search()).toContain("1 files left out: over 20 MB");
  truncateSync(path, 0);
  await put("b", `needle${"y".repeat(294)}`);
  expect(await search()).toBe(`b:1: needle${"y".repeat(294)}`);
  await put("b", `needle${"y".repeat(295)}`);
  expect(await search()).toBe(`b:1: needle${"y".repeat(294)}…`);
});

test("edit-file/MAX_LISTED: the lines of twenty matches are listed, of one more it is said", async () => {
  const { call, put } = await fileBench();
  const told = async (matches: number): Promise<string> => {
    await put("many", "x\n".repeat(matches));
    return (await call("edit_file", { path: "many", old_text: "x", new_text: "y" })).text;
  };
  expect(await told(20)).toMatch(/, 19, 20\)/);
  expect(await told(21)).toMatch(/, 19, 20, …\)/);
});

test("edit-file/MAX_DIFF_LINES: a diff of forty lines is whole, of one more the rest is counted", async () => {
  const { call, put } = await fileBench();
  // Three lines of a head, two for each that changed, up to three of those behind them.
  const last = async (changed: number, behind: number): Promise<string | undefined> => {
    await put("n", `${"x\n".repeat(changed)}${"same\n".repeat(behind)}`);
    const edit = { path: "n", old_text: "x", new_text: "y", replace_all: true };
    return (await call("edit_file", edit)).text.split("\n").at(-1);
  };
  expect(await last(17, 3)).toBe(" same");
  expect(await last(18, 2)).toBe("… 2 more lines");
});

test("message/MAX_MEDIA_BYTES: a file of 25 MB is sent, a byte more is not", async () => {
  using machine = createMachine();
  const tool = messageTool({
    send: async () => "queued",
    files: safeFiles({ root: machine.workspace, restrict: true }),
    blobs: {
      put: async (bytes) => ({ sha256: sha256(bytes), bytes: bytes.length }),
      read: async () => new Uint8Array(),
    },
  });
  const path = join(machine.workspace, "film");
  writeFileSync(path, "");
  const sent = async (bytes: number): Promise<string> => {
    truncateSync(path, bytes);
    return textOf(await machine.run(tool, { content: "", media: ["film"] }));
  };
  expect(await sent(25 * 1024 * 1024)).toContain("Queued");
  expect(await sent(25 * 1024 * 1024 + 1)).toContain("larger than 25 MB");
});

test("remember-tool/MAX_CHARS, extract-tool/MAX_FIELDS: a fact of 1,000 characters and twenty questions are taken, one more is not", async () => {
  const remember = rememberTool({ remember: async () => "remembered" });
  expect([
    await isTaken(remember, { text: "f".repeat(1000) }),
    await isTaken(remember, { text: "f".repeat(1001) }),
  ]).toEqual([true, false]);
  const extract = extractTool(async () => "{}");
  const fields = (count: number): object => ({
    from: "r1",
    fields: Array.from({ length: count }, (_, n) => ({ name: `f${n}`, kind: "number" })),
  });
  expect([await isTaken(extract, fields(20)), await isTaken(extract, fields(21))]).toEqual([true, false]);
});

test("extract-tool/MAX_TEXT_CHARS: 64 characters of a stranger's text come out", async () => {
  using machine = createMachine();
  const said = async (chars: number): Promise<string> => {
    const tool = extractTool(async () => JSON.stringify({ x: "长".repeat(chars) }));
    return textOf(await machine.run(tool, { from: "r1", fields: [{ name: "x", kind: "text" }] }));
  };
  expect(await said(64)).toContain(`"${"长".repeat(64)}"`);
  expect(await said(65)).toBe(await said(64));
});

test("recall-tool/MAX_LINE_CHARS: 400 characters of a line are quoted", async () => {
  using machine = createMachine();
  const quoted = async (chars: number): Promise<string> => {
    const found = [{ source: "s", line: 1, text: "w".repeat(chars), untrusted: false }];
    const tool = recallTool({ search: async () => found } as unknown as Parameters<typeof recallTool>[0]); // what it asks
    return textOf(await machine.run(tool, { query: "w" }));
  };
  expect(await quoted(400)).toBe(`s:1: ${"w".repeat(400)}`);
  expect(await quoted(401)).toBe(`s:1: ${"w".repeat(400)}…`);
});

test("engines/MAX_TITLE_CHARS, engines/MAX_SNIPPET_CHARS: 200 characters of a title and 400 of what a page says are shown", () => {
  const lengths = (title: number, snippet: number): readonly number[] =>
    hit("t".repeat(title), "https://example.com/", "s".repeat(snippet)).flatMap((one) => [
      one.title.length,
      one.snippet.length,
    ]);
  expect([lengths(200, 400), lengths(201, 401)]).toEqual([
    [200, 400],
    [200, 400],
  ]);
});

test("search-tree/MAX_DEPTH: 64 folders inside each other are searched, of what is deeper it is said", async () => {
  const { call, put, workspace } = await fileBench();
  const deep = (levels: number): string => Array.from({ length: levels }, () => "d").join("/");
  mkdirSync(join(workspace, deep(64)), { recursive: true });
  await put(`${deep(64)}/a`, "needle\n");
  const search = async (): Promise<string> => (await call("search_files", { pattern: "needle" })).text;
  expect(await search()).toBe(`${deep(64)}/a:1: needle`);
  mkdirSync(join(workspace, deep(65)));
  await put(`${deep(65)}/a`, "needle\n");
  expect(await search()).toBe(
    `${deep(64)}/a:1: needle\n[1 files left out: over 20 MB, linked, unreadable or too deep.]`,
  );
});

test("closest-line/MAX_LINES, closest-line/MAX_CHARS: 50,000 lines are compared, 200 characters of each", () => {
  const after = (lines: number): number | undefined => closestLine(`${"x\n".repeat(lines)}needle`, "needless")?.line;
  expect([after(49_999), after(50_000)]).toEqual([50_000, 1]);
  /** The second line is the likelier one, if the character that differs is looked at. */
  const likelier = (chars: number): number | undefined => {
    const same = "ab".repeat(100).slice(0, chars - 1);
    return closestLine(`${same}X_\n${same}Y_`, `${same}Yz`)?.line;
  };
  expect([likelier(200), likelier(201)]).toEqual([2, 1]);
});

test("scripts/MAX_BYTES: a script of 16 MB is known by its content, a larger one by what the file system says of it", async () => {
  await using folder = await temporaryFolder();
  writeFileSync(folder.at("run.sh"), "");
  const known = (bytes: number): string => {
    truncateSync(folder.at("run.sh"), bytes);
    const { scripts = {} } = callFilesOf(folder.path, "exec", { command: "sh run.sh" });
    return String(Object.values(scripts)[0]);
  };
  const most = 16 * 1024 * 1024;
  expect(known(most)).toMatch(/^[0-9a-f]{64}$/);
  expect(known(most + 1)).toMatch(new RegExp(`^${most + 1} `));
});

test("scripts/MAX_DEPTH, scripts/MAX_LOOKS: three command lines inside each other and 5,000 names are looked for, more is not known", async () => {
  await using folder = await temporaryFolder();
  writeFileSync(folder.at("run.sh"), "echo hello\n");
  const found = (command: string): readonly string[] | "unknown" => {
    const { scripts = {}, unknown } = callFilesOf(folder.path, "exec", { command });
    return unknown === true ? "unknown" : Object.keys(scripts);
  };
  const nested = (levels: number): string =>
    levels === 0 ? "sh run.sh" : `sh -c '${nested(levels - 1).replaceAll("'", String.raw`'\''`)}'`;
  expect([found(nested(3)), found(nested(4))]).toEqual([[folder.at("run.sh")], "unknown"]);
  const named = (count: number): string => `sh ${Array.from({ length: count - 1 }, (_, n) => `no${n}`).join(" ")}`;
  expect([found(named(5000)), found(named(5001))]).toEqual([[], "unknown"]);
  // A pattern is ten looks, and one for each fifty names of its folder.
  const patterns = (count: number): string => `sh ${Array.from({ length: count }, (_, n) => `no${n}*`).join(" ")}`;
  expect([found(patterns(499)), found(patterns(500))]).toEqual([[], "unknown"]);
});

test("cleanup/MAX_SESSIONS: a thousand conversations are known to be tidied in their turn, one more and all are looked at again", async () => {
  await using folder = await temporaryFolder();
  const left = (session: string): string => {
    mkdirSync(folder.at(session, "call"), { recursive: true });
    writeFileSync(folder.at(session, "call", "receipt"), "");
    utimesSync(folder.at(session, "call", "receipt"), 0, 0);
    return folder.at(session, "call");
  };
  const tidy = createTidy(folder.path);
  const looks = (session: string): void => tidy(session as SessionId, "t-1" as TurnId, Date.UTC(2026, 0, 1));
  for (let n = 0; n < 1000; n++) looks(`s-${n}`);
  const [first, other] = [left("s-0"), left("other")];
  looks("s-0");
  createTidy(folder.path)("other" as SessionId, "t-1" as TurnId, Date.UTC(2026, 0, 1)); // as long as a removal takes
  await expect.poll(() => existsSync(other)).toBe(false);
  expect(existsSync(first)).toBe(true);
  looks("s-1000");
  looks("s-0");
  await expect.poll(() => existsSync(first)).toBe(false);
});

test("file-labels/MAX_COMPARED_BYTES: a copy of 4 MB is known to be a stranger's, a larger one is not compared", async () => {
  const { put, state, workspace } = await fileBench();
  const labels = openFileLabels(state);
  const { call } = await fileBench({ workspace, labels });
  const integrity = async (bytes: number): Promise<string | undefined> => {
    const data = Buffer.alloc(bytes, "x\n");
    labels.writing("page.txt", data, { integrity: "untrusted", confidentiality: "public" }, "whole");
    await put("copy.txt", data);
    return (await call("read_file", { path: "copy.txt", limit: 1 })).integrity;
  };
  expect(await integrity(4 * 1024 * 1024)).toBe("untrusted");
  expect(await integrity(4 * 1024 * 1024 + 1)).toBeUndefined();
});

test("page-reader/MAX_HTML_CHARS: 2,000,000 characters of a page are read", async () => {
  const read = async (chars: number): Promise<string> => {
    const end = "<p>the last words";
    const html = `<!--${"x".repeat(chars - end.length - 7)}-->${end}`;
    const job = { html, url: "http://pub.test/", mode: "text" } as const;
    return (await readPage(job, systemClock(), new AbortController().signal)).text;
  };
  expect(await read(2_000_000)).toBe("the last words");
  expect(await read(2_000_001)).toBe("the last word");
});

test("page-reader/MAX_MS: a page that takes longer than twenty seconds is not read", async () => {
  const clock = fakeClock();
  const job = { html: "<p>some words</p>".repeat(100_000), url: "http://pub.test/", mode: "text" } as const;
  const reading = readPage(job, clock, new AbortController().signal).then(({ text }) => text.length, String);
  expect(await clock.waitForSleep()).toBe(20_000);
  await clock.advance(19_999);
  expect(clock.pending()).toEqual([1]);
  await clock.advance(1);
  expect(await reading).toBe("Error: the page takes too long to read");
});

test("repeats/MAX_TURNS: a look-up is known to be repeated while no fifty other turns have looked", async () => {
  using machine = createMachine();
  const worked = async (others: number): Promise<number> => {
    const repeats = createRepeats();
    let count = 0;
    const look = (turn: string, call: string): Promise<unknown> =>
      repeats.once("key", machine.context({ turnId: turn as TurnId, callId: call as CallId }), async () => {
        if (turn === "first") count += 1;
        return "page";
      });
    await look("first", "c-1");
    await look("first", "c-2");
    for (let n = 0; n < others; n++) await look(`t-${n}`, "c-1");
    await look("first", "c-3");
    return count;
  };
  expect([await worked(49), await worked(50)]).toEqual([2, 3]);
});

test("segments/MAX_DEPTH: thirty substitutions inside each other are split, of one more nothing is certain", () => {
  const nested = (levels: number): string => `${"echo $(".repeat(levels)}ls${")".repeat(levels)}`;
  const { certain, texts } = splitCommand(nested(30));
  expect([certain, texts.at(-1), texts.length]).toEqual([true, "ls", 31]);
  expect(splitCommand(nested(31)).certain).toBe(false);
});

test("web-fetch/MAX_IMAGE_BYTES: a picture of 5 MB is shown, one that is a byte more when it is unpacked is not", async () => {
  using machine = createMachine();
  const picture = async (bytes: number): Promise<string> => {
    const body = Buffer.alloc(bytes);
    Buffer.from("89504e470d0a1a0a", "hex").copy(body);
    await using web = await openWeb(
      (_, response) =>
        void response.writeHead(200, { "content-type": "image/png", "content-encoding": "gzip" }).end(gzipSync(body)),
    );
    const blobs = {
      put: async (data: Uint8Array) => ({ sha256: sha256(data), bytes: data.length }),
      read: async () => new Uint8Array(),
    };
    return textOf(await machine.run(webFetchTool({ fetch: web.fetch, blobs }), { url: "http://pub.test/a.png" }));
  };
  expect(await picture(5 * 1024 * 1024)).toContain("[image/png]");
  expect(await picture(5 * 1024 * 1024 + 1)).toContain("cannot be shown");
});

test("left-behind/MAX_NAMED, left-behind/MAX_PATH_CHARS: five things that run when they are started are named, each by 200 characters of its path", () => {
  const said = (started: readonly string[]): string => {
    const result = withLeftBehind("done", { kept: [], stuck: [], complete: true }, started);
    return typeof result === "string"
      ? ""
      : (result.parts.map((part) => (part.type === "text" ? part.text : "")).at(-1) ?? "");
  };
  const names = ["a", "b", "c", "d", "e", "f"];
  expect(said(names.slice(0, 5))).toBe("Runs when started: a, b, c, d, e.");
  expect(said(names)).toBe("Runs when started: a, b, c, d, e and 1 more.");
  expect(said(["x".repeat(200)])).toBe(`Runs when started: ${"x".repeat(200)}.`);
  expect(said([`y${"x".repeat(200)}`])).toBe(`Runs when started: …${"x".repeat(199)}.`);
});

test("started/MAX_BYTES: the scripts of a package.json of a megabyte are compared; of a larger one any change counts", async () => {
  using machine = createMachine();
  const path = join(machine.workspace, "package.json");
  const of = (bytes: number): string => `{"x":"${"y".repeat(bytes - 8)}"}`;
  const starts = (bytes: number): Promise<boolean> => {
    writeFileSync(path, of(bytes));
    const file = (sha256: string) => ({ kind: "file", size: bytes, mode: 0o644, sha256 }) as const;
    return startsOtherwise(
      { path: "package.json", before: file("a"), after: file("b") },
      { workspace: machine.workspace, store: { read: () => Buffer.from("{}") } },
    );
  };
  expect(await starts(1024 * 1024)).toBe(false);
  expect(await starts(1024 * 1024 + 1)).toBe(true);
});
